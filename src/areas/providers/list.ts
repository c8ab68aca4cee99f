import type { SuccessBody } from '../../contract/operation.ts';
import { capabilityNames, isAccountProvider } from '../../contract/providers/credentials.ts';
import type { listProviders, ProviderSource } from '../../contract/providers/index.ts';
import type { ProviderInfo } from '../../voice/speech-ports.ts';
import { bodyOf, type Credentials } from './credentials/store.ts';

type Item = SuccessBody<typeof listProviders>['items'][number];
type Capability = (typeof capabilityNames)[number];

/** Providers that are part of the service, or of the caller's browser. */
const withoutAccount = ['embedded', 'browser', 'test'];

/** All providers, and where they come from. `hasLlm`, `hasEmbeddings`: whether the workspace has any. */
export function listedProviders(
  infos: readonly ProviderInfo[],
  own: readonly Credentials[],
  { hasLlm, hasEmbeddings }: { readonly hasLlm: boolean; readonly hasEmbeddings: boolean },
): Item[] {
  const credentialsOf = (name: string) => own.find(({ provider }) => provider === name);
  const sourceOf = (name: string, configured: boolean): ProviderSource => {
    if (isAccountProvider(name) && credentialsOf(name) !== undefined) return 'workspace';
    if (!configured) return 'none';
    return withoutAccount.includes(name) ? 'embedded' : 'operator';
  };
  const item = (info: Pick<Item, 'name' | 'configured' | 'capabilities' | 'languages' | 'automatic'>): Item => {
    const { name, configured } = info;
    const found = credentialsOf(name);
    return {
      ...info,
      usedFor: [],
      source: sourceOf(name, configured),
      credentials: found === undefined ? null : bodyOf(found),
    };
  };
  const embeddings = {
    name: 'embeddings',
    configured: hasEmbeddings,
    capabilities: ['embeddings' as const],
    languages: [],
    automatic: hasEmbeddings,
  };
  const items = [
    ...infos.map((info) => item({ ...info, capabilities: [...info.capabilities], languages: [...info.languages] })),
    item(embeddings),
  ];
  const first = (capability: Capability): Item | undefined =>
    items.find(({ configured, automatic, capabilities }) => {
      // Every connected language model is used, also where agents have to name it for speech.
      const isChosen = capability === 'llm' ? hasLlm : automatic;
      return configured && isChosen && capabilities.includes(capability);
    });
  for (const capability of capabilityNames) first(capability)?.usedFor.push(capability);
  return items;
}
