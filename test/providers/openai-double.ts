import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A double of OpenAI's chat completions, written from its published documentation as of November 2026:
 * https://platform.openai.com/docs/api-reference/chat/create (requests),
 * https://platform.openai.com/docs/api-reference/chat-streaming/streaming (responses),
 * https://platform.openai.com/docs/guides/error-codes (errors).
 */
export interface OpenAiDouble {
  readonly baseUrl: string;
  readonly requests: SeenRequest[];
  /** What the next requests get, in order; the last one from then on. */
  play(...replies: DoubleReply[]): void;
  /** How many connections were opened so far. */
  connections(): number;
  /** How many requests were canceled by the client. */
  canceled(): number;
  close(): Promise<void>;
}

export interface SeenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export interface DoubleToolCall {
  readonly name: string;
  readonly arguments: string;
}

export type DoubleReply =
  | { readonly text: string; readonly tools?: readonly DoubleToolCall[]; readonly after?: Promise<unknown> }
  | { readonly tools: readonly DoubleToolCall[] }
  | { readonly status: number; readonly headers?: Record<string, string> }
  /** Sends this much of a reply and then nothing more. */
  | { readonly stallAfter: string }
  /** Sends text, and then closes the connection in the middle of a chunk. */
  | { readonly closeAfter: string }
  /** Closes the connection before the headers. */
  | { readonly hangUp: true }
  | { readonly contentType: string; readonly body: string }
  /** Lines of an event stream, as they are. */
  | { readonly lines: readonly string[] };

export interface DoubleOptions {
  /** Requests need this key. */
  readonly apiKey?: string;
  /** Replies to each request by what it says, instead of in the order of `play`. */
  readonly replyTo?: (
    body: Record<string, unknown>,
    headers: IncomingHttpHeaders,
  ) => DoubleReply | Promise<DoubleReply>;
}

export async function startOpenAiDouble({ apiKey, replyTo }: DoubleOptions = {}): Promise<OpenAiDouble> {
  const requests: SeenRequest[] = [];
  let replies: readonly DoubleReply[] = [{ text: 'Hello.' }];
  let connections = 0;
  let canceled = 0;
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as Record<string, unknown>;
    requests.push({ headers: request.headers, body });
    response.on('close', () => {
      if (!response.writableFinished) canceled += 1;
    });
    const problem = problemWith(request, body, apiKey);
    if (problem !== undefined) return sendError(response, problem.status, problem.message);
    if (replyTo !== undefined) return send(response, await replyTo(body, request.headers), String(body.model));
    const [reply = { text: '' }, ...rest] = replies;
    if (rest.length > 0) replies = rest;
    if ('after' in reply) await reply.after;
    send(response, reply, String(body.model));
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    play: (...given) => {
      replies = given;
    },
    connections: () => connections,
    canceled: () => canceled,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

interface Problem {
  readonly status: number;
  readonly message: string;
}

interface WireMessage {
  readonly role?: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** What the API rejects, as far as a client of this service could get it wrong. */
function problemWith(
  request: IncomingMessage,
  body: Record<string, unknown>,
  apiKey: string | undefined,
): Problem | undefined {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    return { status: 404, message: `Invalid URL (${request.method} ${request.url})` };
  }
  // https://platform.openai.com/docs/guides/error-codes: the message repeats a part of the key.
  if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
    return { status: 401, message: `Incorrect API key provided: ${request.headers.authorization ?? ''}` };
  }
  if (typeof body.model !== 'string' || body.model === '') {
    return { status: 400, message: 'you must provide a model parameter' };
  }
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    return { status: 400, message: "Missing required parameter: 'messages'." };
  }
  if (body.stream_options !== undefined && body.stream !== true) {
    return { status: 400, message: "The 'stream_options' parameter is only allowed when 'stream' is enabled." };
  }
  // https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools
  if (Array.isArray(body.tools) && body.tools.length === 0) return { status: 400, message: '[] is too short - tools' };
  return problemWithMessages(body.messages as readonly WireMessage[]);
}

/** https://platform.openai.com/docs/guides/function-calling: each call is followed by its result, and no other. */
function problemWithMessages(messages: readonly WireMessage[]): Problem | undefined {
  const open = new Set<string>();
  for (const { role, content, tool_calls: calls = [], tool_call_id: id = '' } of messages) {
    if (role === 'tool') {
      if (!open.delete(id)) {
        return {
          status: 400,
          message: "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        };
      }
      continue;
    }
    if (open.size > 0) {
      return { status: 400, message: `tool_call_ids did not have response messages: ${[...open].join(', ')}` };
    }
    if (typeof content !== 'string' && calls.length === 0) {
      return { status: 400, message: "Invalid value for 'content': expected a string, got null." };
    }
    for (const call of calls) open.add(call.id);
  }
  return open.size > 0 ? { status: 400, message: 'tool_call_ids did not have response messages' } : undefined;
}

function send(response: ServerResponse, reply: DoubleReply, model: string): void {
  if ('hangUp' in reply) {
    response.destroy();
    return;
  }
  if ('status' in reply) {
    sendError(response, reply.status, 'Something about sk-secret', reply.headers);
    return;
  }
  if ('contentType' in reply) {
    response.writeHead(200, { 'content-type': reply.contentType }).end(reply.body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const write = (fields: object): void => {
    response.write(`data: ${JSON.stringify(chunk(model, fields))}\n\n`);
  };
  if ('lines' in reply) {
    response.end(reply.lines.map((line) => `${line}\n\n`).join(''));
    return;
  }
  if ('stallAfter' in reply) {
    if (reply.stallAfter === '') response.flushHeaders();
    else writeText(write, reply.stallAfter);
    return;
  }
  if ('closeAfter' in reply) {
    writeText(write, reply.closeAfter);
    response.write('data: {"id":"chatcmpl-1","choi', () => response.destroy());
    return;
  }
  if ('text' in reply) writeText(write, reply.text);
  for (const [index, call] of (reply.tools ?? []).entries()) writeCall(write, index, call);
  const reason = (reply.tools ?? []).length > 0 ? 'tool_calls' : 'stop';
  write({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: reason }], usage: null });
  // https://platform.openai.com/docs/api-reference/chat/create#chat-create-stream_options: before the end, without choices.
  write({ choices: [], usage: doubleUsage });
  response.end('data: [DONE]\n\n');
}

/** https://platform.openai.com/docs/api-reference/chat-streaming/streaming */
function chunk(model: string, fields: object): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_794_000_000,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_1',
    ...fields,
  };
}

/** https://platform.openai.com/docs/api-reference/chat/object#chat-object-usage */
export const doubleUsage = {
  prompt_tokens: 120,
  completion_tokens: 9,
  total_tokens: 129,
  prompt_tokens_details: { cached_tokens: 100, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};

/** The first delta has the role; the text arrives in pieces. */
function writeText(write: (fields: object) => void, text: string): void {
  write(deltaOf({ role: 'assistant', content: '', refusal: null }));
  for (const piece of text.match(/.{1,4}/gsu) ?? []) write(deltaOf({ content: piece }));
}

/** https://platform.openai.com/docs/guides/function-calling#streaming: the first delta has id and name. */
function writeCall(write: (fields: object) => void, index: number, call: DoubleToolCall): void {
  const start = { index, id: `call_${index}`, type: 'function', function: { name: call.name, arguments: '' } };
  write(deltaOf({ role: 'assistant', content: null, tool_calls: [start] }));
  for (const piece of call.arguments.match(/.{1,3}/gsu) ?? []) {
    write(deltaOf({ tool_calls: [{ index, function: { arguments: piece } }] }));
  }
}

function deltaOf(delta: object): object {
  return { choices: [{ index: 0, delta, logprobs: null, finish_reason: null }], usage: null };
}

/** https://platform.openai.com/docs/guides/error-codes */
function sendError(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}) {
  const error = { message, type: status === 429 ? 'rate_limit_exceeded' : 'invalid_request_error', param: null };
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { ...error, code: null } }));
}
