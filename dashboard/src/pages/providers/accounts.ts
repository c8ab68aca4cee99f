import type { Provider, PutCredentials } from '../../../../sdk/src/index.ts';

/** The providers that a workspace can have credentials for, and the address that is used without another one. */
export const usualAddresses: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  deepgram: 'https://api.deepgram.com',
  elevenlabs: 'https://api.elevenlabs.io',
  cartesia: 'https://api.cartesia.ai',
  embeddings: 'https://api.openai.com/v1',
};

/** What is typed. */
export interface AccountValues {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** A line for each model: `name = other`. */
  readonly models: string;
  readonly model: string;
}

export function valuesOf({ credentials }: Provider): AccountValues {
  const { baseUrl = null, models = {}, model = null } = credentials ?? {};
  const lines = Object.entries(models).map(([name, other]) => `${name} = ${other}`);
  return { apiKey: '', baseUrl: baseUrl ?? '', models: lines.join('\n'), model: model ?? '' };
}

/** Null: a line is not `name = other`, or a name is there twice. */
export function modelsOf(text: string): Record<string, string> | null {
  const pairs = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split('=').map((name) => name.trim()));
  const areNames = pairs.every((pair) => pair.length === 2 && pair.every((name) => /^[!-~]+$/.test(name)));
  const models = Object.fromEntries(pairs as [string, string][]);
  return areNames && Object.keys(models).length === pairs.length ? models : null;
}

/** Without a new key, the one that is set stays; without both, requests carry none. */
export function bodyOf(provider: Provider, { apiKey, baseUrl, models, model }: AccountValues): PutCredentials {
  const hasKey = provider.credentials?.apiKey.set ?? false;
  return {
    ...(apiKey.trim() !== '' ? { apiKey: apiKey.trim() } : hasKey ? {} : { apiKey: null }),
    baseUrl: baseUrl.trim() === '' ? null : baseUrl.trim(),
    ...(provider.name === 'openai' && { models: modelsOf(models) ?? {} }),
    ...(provider.name === 'embeddings' && { model: model.trim() }),
  };
}

export type AccountIssue = 'key' | 'keyForOther' | 'models' | 'model';

/** What is missing before anything is sent. */
export function issuesIn(
  provider: Provider,
  { apiKey, baseUrl, models, model }: AccountValues,
): readonly AccountIssue[] {
  const { credentials, name } = provider;
  const hasKey = credentials?.apiKey.set ?? false;
  const isKept = apiKey.trim() === '' && hasKey;
  const origin = (url: string): string => URL.parse(url === '' ? (usualAddresses[name] ?? '') : url)?.origin ?? '';
  return [
    ...(apiKey.trim() === '' && !hasKey && baseUrl.trim() === '' ? (['key'] as const) : []),
    ...(isKept && origin(baseUrl.trim()) !== origin(credentials?.baseUrl ?? '') ? (['keyForOther'] as const) : []),
    ...(name === 'openai' && modelsOf(models) === null ? (['models'] as const) : []),
    ...(name === 'embeddings' && model.trim() === '' ? (['model'] as const) : []),
  ];
}
