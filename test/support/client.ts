import assert from 'node:assert/strict';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { codes, errorBody, errorCodes } from '../../src/contract/errors.ts';
import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { exchange, type Received } from './exchange.ts';

export interface Answer extends Received {
  // biome-ignore lint/suspicious/noExplicitAny: tests check the fields they read.
  readonly json: any;
}

export interface Call {
  readonly key?: string | undefined;
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly rawBody?: string | Uint8Array;
  readonly headers?: Record<string, string>;
}

/** Sends a request and validates the response against the contract, whatever the test is about. */
export async function send(service: { url: string }, method: string, path: string, call: Call = {}): Promise<Answer> {
  const { key, body, rawBody, headers = {} } = call;
  const content = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  const { text, ...rest } = await exchange(service.url + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    content,
  });
  const isJson = text !== '' && isJsonType(rest.headers);
  const answer = { ...rest, text, json: isJson ? JSON.parse(text) : undefined };
  assertContract(method, path, answer);
  return answer;
}

/**
 * Every response has a request id. A success matches the strict schema of its operation, anything else that of errors.
 */
export function assertContract(method: string, path: string, answer: Answer): void {
  const { success } = operationOf(method, path) ?? {};
  // A file has no schema, but a media type.
  if (answer.status < 300 && success?.body === null) {
    assert.equal(answer.headers.get('content-type'), success.media?.type);
  } else {
    assert.ok(isJsonType(answer.headers));
  }
  const requestId = answer.headers.get('x-request-id');
  assert.ok(requestId, 'every response carries X-Request-Id');
  if (answer.status < 300) {
    success?.body?.parse(answer.json);
    return;
  }
  const { error } = errorBody.parse(answer.json);
  assert.equal(error.requestId, requestId);
  const code = codes.find((known) => known === error.code);
  assert.ok(code, `${error.code} is in the table of codes`);
  assert.equal(answer.status, errorCodes[code].status);
}

function isJsonType(headers: Headers): boolean {
  return /^application\/json/.test(headers.get('content-type') ?? '');
}

function operationOf(method: string, path: string): Operation | undefined {
  const bare = path.split('?')[0] as string;
  return patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(bare))?.operation;
}

const patterns = operations.map((operation: Operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

export async function createAgent(
  service: { url: string },
  key: string,
  fields: Record<string, unknown> = {},
): Promise<Agent> {
  const answer = await send(service, 'POST', '/api/v1/agents', {
    key,
    body: { name: 'Reception', voiceId: 'voice-1', ...fields },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

/** Every page of the list of agents, in order. */
export async function walk(
  service: { url: string },
  key: string,
  query: Record<string, string> = {},
  afterEachPage: () => Promise<unknown> = async () => {},
): Promise<Agent[][]> {
  return walkPages(service, key, '/api/v1/agents', query, afterEachPage);
}

/** Every page of a list, in order. */
export async function walkPages<Item = Agent>(
  service: { url: string },
  key: string,
  path: string,
  query: Record<string, string> = {},
  afterEachPage: () => Promise<unknown> = async () => {},
): Promise<Item[][]> {
  const pages: Item[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const parameters = new URLSearchParams({ ...query, ...(cursor === '' ? {} : { cursor }) });
    const answer = await send(service, 'GET', `${path}?${parameters}`, { key });
    assert.equal(answer.status, 200, answer.text);
    pages.push(answer.json.items);
    cursor = answer.json.pagination.nextCursor;
    await afterEachPage();
  }
  return pages;
}
