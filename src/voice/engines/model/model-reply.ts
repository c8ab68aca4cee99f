import { maxNesting, parseForeignJson } from '../../../contract/foreign-json.ts';
import { isObject } from '../../../contract/json-object.ts';
import type { LlmMessage, LlmToolCall } from '../../llm.ts';
import type { ArgumentCheck } from '../../tools/arguments.ts';
import type { CallableTool, ToolForModel } from '../../tools/definition.ts';
import type { ToolResult } from '../../tools/tool.ts';
import { maxToolRounds, type ReplyOutput } from '../engine.ts';
import { contentOf } from './messages.ts';
import type { ModelChain } from './model-chain.ts';

/** A tool that the engine itself carries out: it ends the reply. */
export interface BuiltInTool extends ToolForModel {
  readonly checkArguments: ArgumentCheck;
}

export interface BuiltInCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ModelReplyOutput extends Pick<ReplyOutput, 'text' | 'tool' | 'failed' | 'switched'> {
  /** The reply is complete. `own`: what the engine was asked to do, if anything. */
  end(own?: BuiltInCall): void;
}

export interface ModelReplyRequest {
  /** Called when the model is asked: a tool of an earlier reply may have to return first. */
  readonly messages: () => readonly LlmMessage[];
  readonly tools: readonly CallableTool[];
  readonly builtInTools: readonly BuiltInTool[];
  /** Calls of a reply that was lost before their results arrived: they are carried out before the model is asked. */
  readonly unfinished?: readonly LlmToolCall[];
}

/** A model may get the arguments of a tool wrong once in a reply. */
const maxInvalidCalls = 1;

/** A reply in progress. */
interface Reply {
  readonly request: ModelReplyRequest;
  readonly output: ModelReplyOutput;
  isCanceled: boolean;
  cancel: () => void;
  invalidCalls: number;
  rounds: number;
}

/**
 * Asks a model for replies, and carries out the tools that it calls in between. One at a time: a reply that is requested
 * while a tool of an earlier one runs waits for its result.
 */
export class ModelReplies {
  readonly #models: ModelChain;
  #runningTools = 0;
  #waiting: (() => void) | null = null;
  readonly #toolUses = new Map<string, number>();

  constructor(models: ModelChain) {
    this.#models = models;
  }

  request(request: ModelReplyRequest, output: ModelReplyOutput): () => void {
    const reply: Reply = { request, output, isCanceled: false, cancel: () => {}, invalidCalls: 0, rounds: 0 };
    const start = (): void => this.#start(reply);
    if (this.#runningTools > 0) this.#waiting = start;
    else start();
    return () => {
      reply.isCanceled = true;
      if (this.#waiting === start) this.#waiting = null;
      reply.cancel();
    };
  }

  #start(reply: Reply): void {
    const { messages, unfinished = [] } = reply.request;
    if (unfinished.length === 0) this.#ask(reply, messages());
    else {
      this.#carryOut(reply, unfinished, [...messages(), { role: 'assistant', content: '', toolCalls: unfinished }]);
    }
  }

  #ask(reply: Reply, messages: readonly LlmMessage[]): void {
    const { request, output } = reply;
    const tools = [...request.tools, ...request.builtInTools];
    let said = '';
    const calls: LlmToolCall[] = [];
    reply.cancel = this.#models.reply(
      { messages, tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })) },
      {
        text: (text) => {
          said += text;
          output.text(text);
        },
        tool: (call) => calls.push(call),
        done: () => {
          if (calls.length === 0) output.end();
          else this.#carryOut(reply, calls, [...messages, { role: 'assistant', content: said, toolCalls: calls }]);
        },
        failed: (detail) => output.failed(detail),
        switched: (from, to) => output.switched(from, to),
      },
    );
  }

  #carryOut(reply: Reply, calls: readonly LlmToolCall[], messages: readonly LlmMessage[]): void {
    const { request, output } = reply;
    const checked = calls.map((call) => checkCall(call, request));
    if (checked.some(({ issue }) => issue !== undefined) && ++reply.invalidCalls > maxInvalidCalls) {
      output.failed('the model calls a tool with invalid arguments');
      return;
    }
    reply.rounds += 1;
    if (reply.rounds > maxToolRounds) {
      output.failed('the model calls too many tools');
      return;
    }
    this.#runTools(checked, output, (results) => {
      if (reply.isCanceled) return;
      const own = checked.find(({ kind, issue }) => kind === 'own' && issue === undefined);
      if (own === undefined) this.#ask(reply, [...messages, ...results]);
      else output.end({ name: own.call.name, arguments: own.given });
    });
  }

  /** Runs the tools at the same time, and reports all results at once. */
  #runTools(
    calls: readonly CheckedCall[],
    output: ModelReplyOutput,
    onResults: (results: readonly LlmMessage[]) => void,
  ): void {
    const results = calls.map(({ call, issue }): LlmMessage => {
      return { role: 'tool', toolCallId: call.id, content: issue === undefined ? 'done' : `Error: ${issue}` };
    });
    const running = calls.flatMap((call, place) =>
      call.kind === 'tool' && call.issue === undefined ? [{ call, place }] : [],
    );
    let left = running.length;
    if (left === 0) onResults(results);
    this.#runningTools += left;
    for (const { call, place } of running) {
      output.tool(this.#toolCall(call), (result) => {
        results[place] = { role: 'tool', toolCallId: call.call.id, content: resultText(result) };
        left -= 1;
        this.#runningTools -= 1;
        if (left === 0) onResults(results);
        this.#startWaiting();
      });
    }
  }

  #startWaiting(): void {
    if (this.#runningTools > 0) return;
    const start = this.#waiting;
    this.#waiting = null;
    start?.();
  }

  /** What is said while it runs takes turns. */
  #toolCall({ call: { name }, given, say }: CheckedCall) {
    const uses = this.#toolUses.get(name) ?? 0;
    this.#toolUses.set(name, uses + 1);
    const sentence = say[uses % Math.max(1, say.length)];
    return { name, arguments: given, ...(sentence === undefined ? {} : { say: sentence }) };
  }
}

interface CheckedCall {
  readonly call: LlmToolCall;
  readonly kind: 'own' | 'tool' | 'unknown';
  readonly given: Readonly<Record<string, unknown>>;
  readonly say: readonly string[];
  /** What is wrong with it. */
  readonly issue: string | undefined;
}

function checkCall(call: LlmToolCall, { tools, builtInTools }: ModelReplyRequest): CheckedCall {
  const tool = tools.find(({ name }) => name === call.name);
  const own = builtInTools.find(({ name }) => name === call.name);
  const given = parsedArguments(call.arguments);
  const known = tool ?? own;
  const issues = known === undefined || given === undefined ? [] : known.checkArguments(given);
  const [first] = issues.map(({ path, message }) => [...path.map(String), message].join(': '));
  return {
    call,
    kind: tool !== undefined ? 'tool' : own !== undefined ? 'own' : 'unknown',
    given: given ?? {},
    say: tool?.say ?? [],
    issue:
      known === undefined
        ? 'there is no such tool'
        : given === undefined
          ? `the arguments are not a JSON object, or nested deeper than ${maxNesting} levels`
          : first,
  };
}

function parsedArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = text.trim() === '' ? {} : parseForeignJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a model is given as the result of a tool. */
export function resultText(result: ToolResult): string {
  return result.isError ? `Error: ${result.code}: ${result.message}` : contentOf(result.result);
}
