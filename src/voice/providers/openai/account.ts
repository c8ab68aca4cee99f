import type { ProviderAccount } from '../connection/account.ts';

/** `baseUrl` is with the version, such as `https://api.openai.com/v1`. */
export interface OpenAiAccount extends ProviderAccount {
  /** The model that is sent instead of the agent's; `*` for every other language model. */
  readonly modelMap: ReadonlyMap<string, string>;
}

/** The address that is known to have the routes of speech. Other servers may have them, too. */
const ownHost = 'api.openai.com';

export function isOpenAi({ baseUrl }: ProviderAccount): boolean {
  return new URL(baseUrl).host === ownHost;
}

export function headersOf({ apiKey }: ProviderAccount): Record<string, string> {
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
}

/** Only names that the map lists: its `*` is for language models. */
export function speechModel({ modelMap }: OpenAiAccount, model: string): string {
  return modelMap.get(model) ?? model;
}
