import type { StepOf } from '../../../contract/workflows/definition.ts';
import type { RunAttempt, RunRequest, StepError } from '../../../contract/workflows/run.ts';
import { newTraceparent } from '../../../core/webhook-signature.ts';
import type { OutboundRequest, OutboundResponse } from '../../../net/exchange.ts';
import type { Guard } from '../../../net/guard.ts';
import { withoutSecrets } from '../../../net/partner/echoed-secrets.ts';
import { failureOf, isSuccess, outcomeOf } from '../../../net/partner/outcome.ts';
import { type PartnerSecret, RequestProblem, secretsFor } from '../../../net/partner/secrets.ts';
import { StepFailure } from '../step-failure.ts';
import { maxResponseBytes, requestWithSecrets, responseBody } from '../templates/request.ts';
import { startOf } from './kept-content.ts';

export type OpenSecrets = (
  workspaceId: string,
  names: readonly string[],
) => Promise<ReadonlyMap<string, PartnerSecret>>;

export interface SendingParts {
  readonly guard: Guard;
  readonly secrets: OpenSecrets;
  readonly now: () => number;
  readonly userAgent: string;
}

/** What an attempt came to, without the secrets that the receiver may have repeated. */
export interface AttemptResult extends Omit<RunAttempt, 'number' | 'url' | 'startedAt'> {
  readonly startedAt: number;
  /** The body of the response, as later steps see it. Null: it is empty, or there is none. */
  readonly body: unknown;
  readonly isRetried: boolean;
  readonly retryAfterMs: number | null;
}

/** `refused`: nothing was sent, because the request cannot be. */
export type SendResult =
  | { readonly kind: 'attempt'; readonly attempt: AttemptResult }
  | { readonly kind: 'refused'; readonly error: StepError };

/** Sends the request of a step once. Resolves to null if the signal has canceled it. */
export async function sendRequest(
  { guard, secrets: open, now, userAgent }: SendingParts,
  workspaceId: string,
  { request, expect, timeoutMs }: Pick<StepOf<'http_request'>, 'expect' | 'timeoutMs'> & { request: RunRequest },
  signal: AbortSignal,
): Promise<SendResult | null> {
  let secrets: ReadonlyMap<string, PartnerSecret>;
  let sent: RunRequest;
  try {
    const texts = [request.url, ...Object.values(request.headers)];
    secrets = await secretsFor(request.url, texts, (names) => open(workspaceId, names));
    sent = requestWithSecrets(request, secrets);
  } catch (error) {
    if (!(error instanceof RequestProblem)) throw error;
    return {
      kind: 'refused',
      error: { code: 'secret_not_available', message: `The request was not sent: ${error.message}.` },
    };
  }
  const startedAt = now();
  const startMs = performance.now();
  const options = {
    method: sent.method as OutboundRequest['method'],
    // Some APIs ask for a user agent of their own.
    headers: { 'user-agent': userAgent, ...sent.headers, traceparent: newTraceparent() },
    ...(sent.body !== null && { body: sent.body }),
    maxResponseBytes,
    timeoutMs,
    signal,
  };
  const isExpected = expect === null ? isSuccess : (status: number): boolean => expect.includes(status);
  const result = await guard
    .request(sent.url, options)
    .then((response) => answered(response, secrets, isExpected, now()), unanswered);
  if (result === null) return null;
  return { kind: 'attempt', attempt: { ...result, startedAt, durationMs: Math.round(performance.now() - startMs) } };
}

type Result = Omit<AttemptResult, 'startedAt' | 'durationMs'>;

function answered(
  response: OutboundResponse,
  secrets: ReadonlyMap<string, PartnerSecret>,
  isExpected: (status: number) => boolean,
  now: number,
): Result {
  const { responseBody: text, ...outcome } = outcomeOf(response, now, isExpected);
  const values = Array.from(secrets.values(), ({ value }) => value);
  const shown = text === null ? null : startOf(withoutSecrets(text, values));
  const base = { ...outcome, responseBody: shown, body: null, isRetried: false };
  if (response.isTruncated)
    return { ...base, ...tooLarge(`The response is longer than ${maxResponseBytes / 1024} KiB.`) };
  try {
    const isRetried = outcome.outcome !== 'succeeded' && isRetriedStatus(response.status);
    return { ...base, body: responseBody(response.body, secrets), isRetried };
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    return { ...base, ...tooLarge(error.message) };
  }
}

function tooLarge(errorMessage: string) {
  return { outcome: 'response_too_large', errorMessage } as const;
}

function unanswered(error: unknown): Result | null {
  const failure = failureOf(error);
  return failure === null ? null : { ...failure, body: null, isRetried: failure.outcome !== 'address_not_allowed' };
}

function isRetriedStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
