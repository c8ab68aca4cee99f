import type { Dispatcher } from 'undici';
import type { Clock } from '../../../clock.ts';

/** The address that is known to have these routes. Other servers may have them, too. */
const ownHost = 'api.openai.com';

export interface OpenAiSpeechParts {
  readonly apiKey: string | null;
  /** With the version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Names of models that the server knows under another name. */
  readonly modelMap: ReadonlyMap<string, string>;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
}

export function isOpenAi({ baseUrl }: Pick<OpenAiSpeechParts, 'baseUrl'>): boolean {
  return new URL(baseUrl).host === ownHost;
}

export function headersOf({ apiKey }: Pick<OpenAiSpeechParts, 'apiKey'>): Record<string, string> {
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
}

/** Only names that the map lists: its `*` is for language models. */
export function sentModel({ modelMap }: Pick<OpenAiSpeechParts, 'modelMap'>, model: string): string {
  return modelMap.get(model) ?? model;
}
