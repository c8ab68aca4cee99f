import { isBodyless } from '../../contract/agents/settings/tool-url.ts';
import { NestingError } from '../../contract/foreign-json.ts';
import type { OutboundResponse } from '../../net/exchange.ts';
import type { Guard } from '../../net/guard.ts';
import { OutboundError, type OutboundErrorCode } from '../../net/outbound-error.ts';
import { isSuccess } from '../../net/partner/outcome.ts';
import { responseValue } from '../../net/partner/response-value.ts';
import { headersWithSecrets, type PartnerSecret, RequestProblem, secretsFor } from '../../net/partner/secrets.ts';
import type { Variables } from '../variables.ts';
import type { ToolDefinition } from './definition.ts';
import type { ToolCall, ToolResult } from './tool.ts';
import { refusedArguments, toolUrl } from './tool-url.ts';

/** Who calls a tool, and with what. */
export interface ToolCallerOptions {
  readonly guard: Guard;
  readonly call: { readonly id: string; readonly agentId: string; readonly agentVersion: number };
  /** All variables of the call at that moment. */
  readonly variables: () => Variables;
  /** The headers that sign a body, as for webhooks. `id` is the `webhook-id`. */
  readonly sign: (id: string, body: string) => Promise<Readonly<Record<string, string>>>;
  /** The secrets of the workspace that have these names. */
  readonly secrets: (names: readonly string[]) => Promise<ReadonlyMap<string, PartnerSecret>>;
  /** The W3C trace context of the call of a tool. Undefined: calls are not traced. */
  readonly traceparent?: ((toolCallId: string) => string) | undefined;
}

export interface ToolRequest {
  readonly tool: ToolDefinition;
  readonly url: string;
  readonly toolCallId: string;
  readonly call: Pick<ToolCall, 'name' | 'arguments'>;
}

/** A request to the server of a tool, without the values of secrets. */
export interface SentRequest {
  readonly method: ToolDefinition['method'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for GET and DELETE. */
  readonly body: string | null;
}

/** What a call of a tool came to. */
export interface ToolExchange {
  readonly result: ToolResult;
  /** Null if nothing could be sent. */
  readonly request: SentRequest | null;
  /** Null if there was none. */
  readonly response: OutboundResponse | null;
  /** Why there was no response; null if there was one, or no request. */
  readonly failure: OutboundErrorCode | null;
  /** Values that the response may repeat. */
  readonly secretValues: readonly string[];
}

export const maxResponseBytes = 32 * 1024;

/** Calls a tool on the server of a partner. What goes wrong there is part of the result. */
export async function callTool(
  options: ToolCallerOptions,
  request: ToolRequest,
  signal: AbortSignal,
): Promise<ToolExchange> {
  const { tool, call } = request;
  const unsent = { request: null, response: null, failure: null, secretValues: [] };
  const address = toolUrl({ url: request.url, method: tool.method }, call.arguments);
  if ('issues' in address) return { ...unsent, result: refusedArguments(address.issues) };
  let secrets: ReadonlyMap<string, PartnerSecret> = new Map();
  let sent: SentRequest | null = null;
  try {
    secrets = await secretsFor(address.url, Object.values(tool.headers), options.secrets);
    const partnerHeaders = headersWithSecrets(tool.headers, secrets);
    const { body, headers } = await contentOf(options, request);
    const { method } = tool;
    sent = { method, url: address.url, headers: { ...lowerCased(tool.headers), ...headers }, body };
    const response = await options.guard.request(address.url, {
      method,
      headers: { ...partnerHeaders, ...headers },
      ...(body !== null && { body }),
      timeoutMs: tool.timeoutMs,
      maxResponseBytes,
      signal,
    });
    const secretValues = Array.from(secrets.values(), ({ value }) => value);
    return { result: resultOf(response, secretValues), request: sent, response, failure: null, secretValues };
  } catch (error) {
    const failure = error instanceof OutboundError ? error.code : null;
    return { ...unsent, result: errorOf(error), request: failure === null ? null : sent, failure };
  }
}

/** The body, and the headers that the service sets. */
async function contentOf(
  { call, variables, sign, traceparent }: ToolCallerOptions,
  { tool, toolCallId, call: { arguments: given } }: ToolRequest,
): Promise<Pick<SentRequest, 'body' | 'headers'>> {
  const content = {
    callId: call.id,
    agentId: call.agentId,
    agentVersion: call.agentVersion,
    toolCallId,
    name: tool.name,
    arguments: given,
    variables: variables(),
  };
  const body = isBodyless(tool.method) ? null : JSON.stringify(content);
  const headers = {
    accept: 'application/json, text/plain',
    ...(body !== null && { 'content-type': 'application/json' }),
    'idempotency-key': toolCallId,
    ...(await sign(toolCallId, body ?? '')),
    'webhook-id': toolCallId,
    ...(traceparent !== undefined && { traceparent: traceparent(toolCallId) }),
  };
  return { body, headers };
}

function resultOf(
  { status, headers, body, isTruncated }: OutboundResponse,
  secretValues: readonly string[],
): ToolResult {
  if (!isSuccess(status)) return failed('failed', `the server of the tool replied with HTTP ${status}`);
  if (isTruncated) return failed('failed', 'the response of the tool is longer than 32 KiB');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return failed('failed', 'the response of the tool is compressed');
  try {
    return { isError: false, result: responseValue(body.toString(), secretValues) };
  } catch (error) {
    if (error instanceof NestingError) return failed('failed', `the response of the tool is ${error.message}`);
    throw error;
  }
}

export const timedOut = failed('timeout', 'the tool did not respond in time');

/** Never the message of an unknown error, which may contain a header. */
function errorOf(error: unknown): ToolResult {
  if (error instanceof RequestProblem) return failed('failed', error.message);
  if (!(error instanceof OutboundError)) return failed('failed', 'the tool could not be called');
  if (error.code === 'timeout') return timedOut;
  return failed('failed', `the server of the tool could not be reached (${error.code})`);
}

export function failed(code: string, message: string): ToolResult {
  return { isError: true, code, message };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
