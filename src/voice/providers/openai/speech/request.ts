import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../../clock.ts';
import { type ProviderFailure, statusFailure } from '../../connection/failure.ts';
import { headersOf, type OpenAiAccount } from '../account.ts';
import { openAi } from '../listing.ts';

export interface OpenAiSpeechParts extends OpenAiAccount {
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
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
