import { providerUrls } from '../../../config.ts';
import type { Body } from '../../../contract/operation.ts';
import {
  type AccountProvider,
  isAccountProvider,
  type putCredentials,
} from '../../../contract/providers/credentials.ts';
import { notFound, unprocessable, validationFailed } from '../../../core/errors.ts';
import { addressIssue } from '../../../net/address.ts';
import type { AllowedNetworks } from '../../../net/networks.ts';
import type { Queries } from '../../../storage/database.ts';
import type { ProviderHandlers } from '../handlers.ts';
import { bodyOf, type Credentials, type CredentialsStore } from './store.ts';

export interface CredentialsRouteParts {
  readonly store: CredentialsStore;
  readonly allowedNetworks: AllowedNetworks;
  /** The credentials for a provider have changed in the transaction. */
  readonly onChange: (queries: Queries, workspaceId: string, provider: AccountProvider) => Promise<void>;
}

type Handlers = Pick<ProviderHandlers, 'providers.credentials.put' | 'providers.credentials.delete'>;

export function credentialsRoutes({ store, allowedNetworks, onChange }: CredentialsRouteParts): Handlers {
  return {
    'providers.credentials.put': async ({ caller: { workspaceId }, params, body, queries }) => {
      const provider = accountProvider(params.provider);
      const { apiKey, models = {}, model = null } = body;
      checkFields(provider, body);
      const baseUrl = body.baseUrl == null ? null : baseUrlOf(body.baseUrl, allowedNetworks);
      const before = await store.lock(queries, workspaceId, provider);
      checkKey(provider, { apiKey, baseUrl }, before);
      const stored = await store.put(queries, { workspaceId, provider, apiKey, baseUrl, models, model });
      await onChange(queries, workspaceId, provider);
      return { body: bodyOf(stored), resourceId: provider };
    },

    'providers.credentials.delete': async ({ caller: { workspaceId }, params, queries }) => {
      const provider = accountProvider(params.provider);
      const found = await store.lock(queries, workspaceId, provider);
      if (found === undefined) throw notFound('provider credentials');
      await store.remove(queries, workspaceId, provider);
      await onChange(queries, workspaceId, provider);
      return { body: { provider, deleted: true }, resourceId: provider };
    },
  };
}

export function accountProvider(name: string): AccountProvider {
  if (!isAccountProvider(name)) throw notFound('provider');
  return name;
}

function checkFields(provider: AccountProvider, { models, model }: Body<typeof putCredentials>): void {
  if (provider !== 'openai' && Object.keys(models ?? {}).length > 0) {
    throw unprocessable({ models: ['is for the provider openai only'] });
  }
  if (provider === 'embeddings' && model == null) throw unprocessable({ model: ['is required for embeddings'] });
  if (provider !== 'embeddings' && model != null) throw unprocessable({ model: ['is for embeddings only'] });
}

/** Without a slash at the end. */
function baseUrlOf(given: string, allowedNetworks: AllowedNetworks): string {
  const issue = given.includes('?')
    ? 'must not contain a query (?)'
    : addressIssue(given, { schemes: ['https'], allowedNetworks });
  if (issue !== undefined) throw validationFailed({ baseUrl: [issue] });
  return new URL(given).href.replace(/\/+$/, '');
}

/** A key that is not sent again stays with the host that it was given for. */
function checkKey(
  provider: AccountProvider,
  { apiKey, baseUrl }: { readonly apiKey: string | null | undefined; readonly baseUrl: string | null },
  before: Credentials | undefined,
): void {
  const hasKey = apiKey === undefined ? (before?.sealedKey ?? null) !== null : apiKey !== null;
  if (!hasKey && baseUrl === null) {
    throw unprocessable({ apiKey: ['is required without the address of a server of your own (baseUrl)'] });
  }
  const isKept = apiKey === undefined && hasKey;
  const originOf = (url: string | null | undefined): string => new URL(url ?? providerUrls[provider]).origin;
  if (isKept && originOf(before?.baseUrl) !== originOf(baseUrl)) {
    throw unprocessable({
      apiKey: ['must be given again with another address, because it was set for the one before'],
    });
  }
}
