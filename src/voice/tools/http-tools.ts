import { NestingError, parseForeignJson } from '../../contract/foreign-json.ts';
import type { OutboundResponse } from '../../net/exchange.ts';
import type { Guard } from '../../net/guard.ts';
import { OutboundError } from '../../net/outbound-error.ts';
import { jsonWithoutSecrets, withoutSecrets } from '../../net/partner/echoed-secrets.ts';
import { isSuccess } from '../../net/partner/outcome.ts';
import { headersWithSecrets, type PartnerSecret, RequestProblem, secretsFor } from '../../net/partner/secrets.ts';
import { type Clock, realClock } from '../clock.ts';
import type { Variables } from '../engines/engine.ts';
import type { Tools } from '../ports.ts';
import type { ToolDefinition } from './definition.ts';
import type { ToolCall, ToolResult } from './tool.ts';

export interface HttpToolsOptions {
  readonly tools: readonly ToolDefinition[];
  readonly guard: Guard;
  readonly call: { readonly id: string; readonly agentId: string; readonly agentVersion: number };
  /** All variables of the call at that moment. */
  readonly variables: () => Variables;
  /** The headers that sign a body, as for webhooks. `id` is the `webhook-id`. */
  readonly sign: (id: string, body: string) => Promise<Readonly<Record<string, string>>>;
  /** The secrets of the workspace that have these names. */
  readonly secrets: (names: readonly string[]) => Promise<ReadonlyMap<string, PartnerSecret>>;
  readonly clock?: Clock;
}

export interface HttpTools extends Tools {
  /** The call has ended: cancels what is running, and whatever is started later. */
  close(): void;
}

const maxResponseBytes = 32 * 1024;

/** The tools of an agent on the partner's servers. */
export function createHttpTools(options: HttpToolsOptions): HttpTools {
  const { tools, clock = realClock } = options;
  const running = new Set<() => void>();
  let isClosed = false;

  return {
    run(toolCallId, call, onResult) {
      const tool = tools.find(({ name }) => name === call.name);
      if (tool === undefined || tool.url === null) {
        onResult(failed('not_available', 'this tool is not available in this call'));
        return;
      }
      const stop = new AbortController();
      const end = (result: ToolResult): void => {
        if (!running.delete(cancel)) return;
        cancelTimer();
        stop.abort();
        onResult(result);
      };
      const cancel = (): void => end(failed('failed', 'the call has ended'));
      running.add(cancel);
      const cancelTimer = clock.after(tool.timeoutMs, () => end(timedOut));
      if (isClosed) cancel();
      else send(options, { tool, url: tool.url, toolCallId, call }, stop.signal).then(end, (e) => end(errorOf(e)));
    },
    close() {
      isClosed = true;
      for (const cancel of running) cancel();
    },
  };
}

interface ToolRequest {
  readonly tool: ToolDefinition;
  readonly url: string;
  readonly toolCallId: string;
  readonly call: ToolCall;
}

async function send(options: HttpToolsOptions, request: ToolRequest, signal: AbortSignal): Promise<ToolResult> {
  const { guard, call, variables, sign } = options;
  const { tool, url, toolCallId } = request;
  const body = JSON.stringify({
    callId: call.id,
    agentId: call.agentId,
    agentVersion: call.agentVersion,
    toolCallId,
    name: tool.name,
    arguments: request.call.arguments,
    variables: variables(),
  });
  const secrets = await secretsFor(url, Object.values(tool.headers), options.secrets);
  const headers = {
    ...headersWithSecrets(tool.headers, secrets),
    accept: 'application/json, text/plain',
    'content-type': 'application/json',
    'idempotency-key': toolCallId,
    ...(await sign(toolCallId, body)),
    'webhook-id': toolCallId,
  };
  const { method, timeoutMs } = tool;
  const response = await guard.request(url, { method, headers, body, timeoutMs, maxResponseBytes, signal });
  return resultOf(response, secrets);
}

function resultOf(response: OutboundResponse, secrets: ReadonlyMap<string, PartnerSecret>): ToolResult {
  const { status, headers, body, isTruncated } = response;
  if (!isSuccess(status)) return failed('failed', `the server of the tool replied with HTTP ${status}`);
  if (isTruncated) return failed('failed', 'the response of the tool is longer than 32 KiB');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return failed('failed', 'the response of the tool is compressed');
  try {
    const values = [...secrets.values()].map(({ value }) => value);
    return { isError: false, result: parsed(body.toString(), values) };
  } catch (error) {
    if (error instanceof NestingError) return failed('failed', `the response of the tool is ${error.message}`);
    throw error;
  }
}

/** JSON, whatever the type says, or text; without secrets, which JSON may contain as a number, too. */
function parsed(body: string, secrets: readonly string[]): unknown {
  const text = withoutSecrets(body, secrets);
  if (text.trim() === '') return null;
  try {
    return jsonWithoutSecrets(parseForeignJson(text), secrets);
  } catch (error) {
    if (error instanceof NestingError) throw error;
    return text;
  }
}

const timedOut = failed('timeout', 'the tool did not respond in time');

/** Never the message of an unknown error, which may contain a header. */
function errorOf(error: unknown): ToolResult {
  if (error instanceof RequestProblem) return failed('failed', error.message);
  if (!(error instanceof OutboundError)) return failed('failed', 'the tool could not be called');
  if (error.code === 'timeout') return timedOut;
  return failed('failed', `the server of the tool could not be reached (${error.code})`);
}

function failed(code: string, message: string): ToolResult {
  return { isError: true, code, message };
}
