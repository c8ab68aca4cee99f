import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { maxNesting } from '../../contract/foreign-json.ts';
import { serviceUnavailable } from '../../core/errors.ts';
import { type Issue, maxIssues, shortened } from '../../core/issues.ts';
import { exceededLimit } from '../../core/json-limits.ts';
import type { ByteBudget } from '../admission/byte-budget.ts';

export const largestBodyBytes = 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** An error about the body as a whole, not about one field. */
export class BodyError extends Error {}

export interface BodyRules {
  /** An absent body counts as `{}`. */
  readonly isOptional: boolean;
  readonly mediaTypes: readonly string[];
}

/** Parses a JSON object from the bytes of a request. Throws a BodyError if it is not one. */
export function parseJsonBody(
  headers: IncomingHttpHeaders,
  bytes: Buffer,
  { isOptional, mediaTypes }: BodyRules,
): Record<string, unknown> {
  if (bytes.length === 0) {
    if (isOptional) return {};
    throw new BodyError('a JSON object is required as the body, with the header "Content-Type: application/json"');
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new BodyError('the body must not be compressed: Content-Encoding is not supported');
  }
  if (!isJson(headers['content-type'], mediaTypes)) {
    throw new BodyError('the body must be JSON in UTF-8, with the header "Content-Type: application/json"');
  }
  const text = decode(bytes);
  const excess = exceededLimit(text);
  if (excess !== undefined) throw new BodyError(`the body has ${excess}`);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BodyError('the body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

function isJson(contentType: string | undefined, mediaTypes: readonly string[]): boolean {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (!mediaTypes.includes(type)) return false;
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BodyError('the body is not valid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the body, which may be confidential, so only the position is used.
    const place = /\(line \d+ column \d+\)|at position \d+/.exec((error as Error).message)?.[0];
    throw new BodyError(`the body is not valid JSON${place === undefined ? '' : ` ${place}`}`);
  }
}

/**
 * Finds values that cannot be stored: NUL and lone surrogates in strings, and numbers outside the range of a double.
 * Stops at the maximum number of reported issues. Throws a BodyError if the nesting is too deep.
 */
export function findUnstorable(body: unknown): Issue[] {
  const issues: Issue[] = [];
  /** The current path, mutated during the traversal. */
  const path: PropertyKey[] = [];
  const visitAt = (key: PropertyKey, value: unknown): void => {
    path.push(key);
    visit(value);
    path.pop();
  };
  const visit = (value: unknown): void => {
    if (issues.length >= maxIssues) return;
    if (typeof value === 'string') {
      const issue = textIssue(value);
      if (issue !== undefined) issues.push({ path: [...path], message: issue });
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) issues.push({ path: [...path], message: 'is out of range for a number' });
    } else if (typeof value === 'object' && value !== null) {
      if (path.length === maxNesting) throw new BodyError(`the body is nested deeper than ${maxNesting} levels`);
      if (Array.isArray(value)) {
        for (let index = 0; index < value.length; index += 1) visitAt(index, value[index]);
        return;
      }
      for (const key of Object.keys(value)) {
        const issue = textIssue(key);
        if (issue !== undefined)
          issues.push({ path: [...path, JSON.stringify(shortened(key, 48))], message: `the name ${issue}` });
        visitAt(key, (value as Record<string, unknown>)[key]);
      }
    }
  };
  visit(body);
  return issues;
}

export function textIssue(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL characters';
  return text.isWellFormed() ? undefined : 'must not contain unpaired surrogates';
}

/**
 * Bodies up to this size do not count against the budget, so that ordinary requests are served no matter how many large
 * ones arrive.
 */
const freeBytes = 64 * 1024;

const noBytes = Buffer.alloc(0);

/**
 * Receives the whole body. `budget` limits the total of all bodies being received; otherwise many clients that send
 * large bodies slowly could exhaust the memory.
 */
export async function receiveBody(request: IncomingMessage, budget: ByteBudget, maxBytes: number): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  // Node has already closed the stream of such a request (optimizeEmptyRequests).
  if (length === undefined && encoding === undefined) return noBytes;
  if (Number(length ?? 0) > maxBytes) throw tooLarge(maxBytes);

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    let counted = 0;
    const stop = (): void => {
      request.off('data', onData);
      budget.release(counted);
      counted = 0;
    };
    const refuse = (error: Error): void => {
      stop();
      // Reads and discards the rest, so that a client that reads only after sending everything gets the response.
      request.resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      received += chunk.length;
      if (received > maxBytes) {
        refuse(tooLarge(maxBytes));
        return;
      }
      const more = Math.max(0, received - freeBytes) - counted;
      if (!budget.hasRoomFor(more)) {
        refuse(serviceUnavailable('Too many large requests are being received at once.'));
        return;
      }
      budget.take(more);
      counted += more;
      chunks.push(chunk);
    };
    request.on('data', onData);
    request.once('end', () => {
      stop();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.once('error', () => {
      stop();
      reject(new BodyError('the body is incomplete'));
    });
  });
}

function tooLarge(maxBytes: number): BodyError {
  const limit = maxBytes < 1024 * 1024 ? `${maxBytes / 1024} KiB` : `${maxBytes / 1024 / 1024} MiB`;
  return new BodyError(`the body is larger than ${limit}`);
}
