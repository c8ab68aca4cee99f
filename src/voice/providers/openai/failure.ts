import { parseForeignJson } from '../../../contract/foreign-json.ts';
import { firstBytes } from '../../../core/first-bytes.ts';
import { withoutSecrets } from '../../../net/partner/echoed-secrets.ts';
import { realClock } from '../../clock.ts';
import type { LlmFailure } from '../../llm.ts';

/** The connection was fine and what arrived on it was not. */
export class MalformedReply extends Error {}

/** The reply failed, for a reason that the operator can do something about. */
export class ModelError extends Error {
  readonly failure: LlmFailure;
  /** The request itself was refused, and the body of the response says why. */
  readonly refusal: string | null;

  constructor(detail: string, failure: LlmFailure = {}, refusal: string | null = null) {
    super(detail);
    this.failure = failure;
    this.refusal = refusal;
  }
}

/** What is known about a response. */
export interface ResponseFacts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const maxWords = 200;
const maxErrorBytes = 4096;
/** A response that is an error already is not waited for any longer. */
const errorBodyMs = 1000;

/** The error of a response with an error status. Only the beginning of `body` is read. */
export async function statusError(
  response: ResponseFacts,
  body: AsyncIterable<Uint8Array> & { destroy(): void },
  apiKey: string | null,
): Promise<ModelError> {
  const { status } = response;
  const text = await firstText(body);
  // Servers repeat parts of a key that they do not accept.
  const words = status === 401 || status === 403 ? '' : firstWords(text, apiKey);
  const isFinal = status < 500 && ![408, 409, 429].includes(status);
  const retryAfterMs = retryAfter(String(response.headers['retry-after'] ?? ''));
  const type = contentType(response);
  const detail = `HTTP ${status} of the model${type === '' ? '' : ` (${type})`}${afterColon(words)}`;
  const isRefusal = status === 400 || status === 422;
  return new ModelError(
    detail,
    { isFinal, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    isRefusal ? text : null,
  );
}

/** `text`: the whole body, if it is not a reply. The chunks of a stream may have words of the conversation. */
export function malformedError(response: ResponseFacts, text: string | null, apiKey: string | null): ModelError {
  return errorIn(response, 'the model sent malformed data', text ?? '', apiKey);
}

/** An error in place of a reply, or of a piece of it. */
export function reportedError(response: ResponseFacts, error: unknown, apiKey: string | null): ModelError {
  return errorIn(response, 'the model reported an error', JSON.stringify({ error }), apiKey);
}

function errorIn(response: ResponseFacts, what: string, text: string, apiKey: string | null): ModelError {
  const facts = [`HTTP ${response.status}`, contentType(response)].filter((fact) => fact !== '').join(', ');
  return new ModelError(`${what} (${facts})${afterColon(firstWords(text, apiKey))}`);
}

function afterColon(words: string): string {
  return words === '' ? '' : `: ${words}`;
}

async function firstText(body: AsyncIterable<Uint8Array> & { destroy(): void }): Promise<string> {
  const chunks: Uint8Array[] = [];
  const stopTimer = realClock.after(errorBodyMs, () => body.destroy());
  try {
    for await (const chunk of firstBytes(body, maxErrorBytes)) chunks.push(chunk);
  } catch {
    // The connection was closed: what has arrived says enough.
  } finally {
    stopTimer();
  }
  return Buffer.concat(chunks).toString();
}

/** Without a type that is none, so that nothing else can get into the detail. */
function contentType({ headers }: ResponseFacts): string {
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  return /^\s*[\w.+-]{1,60}\/[\w.+-]{1,60}\s*$/.test(type) ? type.trim().toLowerCase() : '';
}

/** The message of an error, or the start of a text, without credentials. */
function firstWords(text: string, apiKey: string | null): string {
  const plain = withoutSecrets(messageIn(text) ?? text, apiKey === null ? [] : [apiKey])
    .replaceAll(/\b(?:Bearer|Basic)\s+\S+/gi, '[SECRET]')
    .replaceAll(/\b(?:sk|pk|key|gsk|hf|xai|or)[_-][\w*.-]{4,}/gi, '[SECRET]')
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  const words = [...plain];
  return words.length <= maxWords ? plain : `${words.slice(0, maxWords).join('')}…`;
}

/** Servers differ in where they put it. */
function messageIn(text: string): string | null {
  let body: unknown;
  try {
    body = parseForeignJson(text);
  } catch {
    return null;
  }
  const { error, message, detail } = (body ?? {}) as Record<string, unknown>;
  const inner = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return [inner, message, detail].find((each) => typeof each === 'string') ?? null;
}

/** In seconds; the form with a date is left out, because a wait that short is never given as one. */
function retryAfter(text: string): number | undefined {
  return /^\d{1,6}(\.\d{1,3})?$/.test(text.trim()) ? Number(text) * 1000 : undefined;
}
