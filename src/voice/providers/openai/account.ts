import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../clock.ts';
import type { ProviderAccount } from '../connection/account.ts';
import { type ProviderFailure, statusFailure } from '../connection/failure.ts';
import { openAi } from './listing.ts';

/** `baseUrl` is with the version, such as `https://api.openai.com/v1`. */
export interface OpenAiAccount extends ProviderAccount {
  /** The model that is sent instead of the agent's; `*` for every other language model. */
  readonly modelMap: ReadonlyMap<string, string>;
}

export interface OpenAiSpeechParts extends OpenAiAccount {
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
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

/** A request for speech failed, for a reason that is known. */
export class RejectedSpeech extends Error {
  readonly isFinal: boolean;

  constructor({ detail, isFinal }: ProviderFailure) {
    super(detail);
    this.isFinal = isFinal;
  }
}

/** Throws a `RejectedSpeech` for every status but 200. */
export async function postSpeech(
  parts: OpenAiSpeechParts,
  path: string,
  options: Pick<Dispatcher.RequestOptions, 'body' | 'signal' | 'headersTimeout' | 'bodyTimeout'>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Dispatcher.ResponseData['body']> {
  const {
    statusCode,
    headers: received,
    body,
  } = await request(`${parts.baseUrl}${path}`, {
    method: 'POST',
    headers: { ...headersOf(parts), ...headers },
    dispatcher: parts.dispatcher,
    ...options,
  });
  if (statusCode === 200) return body;
  await body.dump().catch(() => {});
  throw new RejectedSpeech(statusFailure(openAi.name, statusCode, String(received['retry-after'] ?? '')));
}
