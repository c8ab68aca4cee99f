import type { Llm, LlmRequest, LlmToolCall, LlmUsage } from '../voice/llm.ts';
import type { RecordedEvent, Tools } from '../voice/ports.ts';
import { errorType, genAi, own, spanNames } from './attributes.ts';
import { inputMessages, outputMessages } from './content.ts';
import { newSpanId, type TraceIds, traceparentOf } from './ids.ts';
import type { Attributes, Span } from './span.ts';
import type { ConversationTrace, TracedTurn } from './tracing.ts';

export interface ConversationTraceParts {
  readonly ids: TraceIds;
  readonly startedAt: number;
  /** Milliseconds since 1970, which never go back. */
  readonly time: () => number;
  /** How the content of spans is treated; null: they have none. */
  readonly content: { readonly isRedacted: boolean } | null;
  readonly send: (span: Span, content?: Attributes) => void;
  readonly onClose: () => void;
}

/** A request to the model or a tool. It is sent once it has ended and its turn is known. */
interface Step {
  readonly spanId: Buffer;
  readonly startMs: number;
  parentId: Buffer | null;
  /** Sends it below this span; null until it has ended. */
  send: ((parentId: Buffer) => void) | null;
}

/** More at a time has no conversation in which somebody takes turns. Beyond it, the oldest are below the root. */
const maxSteps = 50;
/** How much of the text of a reply is kept: longer texts do not fit into a span. */
const maxCharacters = 64 * 1024;
/** A failure that no code says more about. */
const otherError = '_OTHER';
/** Turns are in whole milliseconds. */
const toleranceMs = 2;

/** Sees every request and every tool of a conversation once. Nothing waits for it. */
export class SampledConversation implements ConversationTrace {
  readonly #parts: ConversationTraceParts;
  readonly #steps = new Set<Step>();
  readonly #toolSpans = new Map<string, Buffer>();
  /** Those that run. */
  readonly #tools = new Map<string, Step>();
  /** When the caller was last heard, in milliseconds since the start of the call. */
  callerEndMs: number | null = null;
  #isClosed = false;

  constructor(parts: ConversationTraceParts) {
    this.#parts = parts;
  }

  get startedAt(): number {
    return this.#parts.startedAt;
  }

  llm(llm: Llm): Llm {
    return {
      provider: llm.provider,
      sentModel: (model) => llm.sentModel(model),
      reply: (request, events) => this.#reply(llm, request, events),
    };
  }

  tools(tools: Tools): Tools {
    return {
      run: (toolCallId, call, onResult) => {
        this.#beginTool(toolCallId);
        tools.run(toolCallId, call, (result) => {
          this.#endTool({ toolCallId, name: call.name }, result.isError ? result.code : null);
          onResult(result);
        });
      },
    };
  }

  recorded(event: RecordedEvent): void {
    if (event.type === 'tool_called') this.#beginTool(event.toolCallId);
    if (event.type === 'tool_returned') this.#endTool(event, event.isError ? otherError : null);
  }

  traceparent(toolCallId: string): string {
    return traceparentOf(this.#parts.ids.traceId, this.#toolSpan(toolCallId), true);
  }

  /** What began before the end of this turn, and belongs to none before it, is below it. */
  turn(spanId: Buffer, endMs: number): void {
    for (const step of this.#steps) {
      if (step.parentId === null && step.startMs <= endMs + toleranceMs) this.#place(step, spanId);
    }
  }

  /** What belongs to no turn is below the root: a reply that nobody has heard. */
  close(): void {
    this.#isClosed = true;
    for (const step of this.#steps) if (step.parentId === null) this.#place(step, this.#parts.ids.rootId);
    this.#parts.onClose();
  }

  #reply(llm: Llm, request: LlmRequest, events: Parameters<Llm['reply']>[1]): () => void {
    const { time, content } = this.#parts;
    const step = this.#begin(newSpanId());
    const model = llm.sentModel(request.model);
    const toolCalls: LlmToolCall[] = [];
    let usage: LlmUsage | null = null;
    let firstTextAt: number | null = null;
    let text = '';
    let isOver = false;
    const end = (failure: string | null): void => {
      if (isOver) return;
      isOver = true;
      // The engine goes on with its list.
      const messages = content === null ? [] : [...request.messages];
      this.#end(step, {
        name: spanNames.model(model),
        isError: failure !== null,
        attributes: {
          [genAi.operation]: 'chat',
          [genAi.provider]: llm.provider,
          [genAi.model]: model,
          [genAi.inputTokens]: usage?.promptTokens,
          [genAi.outputTokens]: usage?.completionTokens,
          [genAi.cachedTokens]: usage?.cachedTokens,
          [errorType]: failure,
        },
        events: firstTextAt === null ? [] : [{ name: own.firstText, atMs: firstTextAt }],
        content:
          content &&
          (() => ({
            [genAi.inputMessages]: inputMessages(messages, content.isRedacted),
            [genAi.outputMessages]: outputMessages(text, toolCalls, content.isRedacted),
          })),
      });
    };
    const cancel = llm.reply(request, {
      text: (piece) => {
        firstTextAt ??= time();
        if (content !== null && text.length < maxCharacters) text += piece;
        events.text(piece);
      },
      retracted: () => {
        text = '';
        events.retracted?.();
      },
      tool: (call) => {
        if (content !== null) toolCalls.push(call);
        events.tool(call);
      },
      usage: (reported) => {
        usage = reported;
        events.usage(reported);
      },
      done: () => {
        end(null);
        events.done();
      },
      failed: (detail, failure) => {
        end(errorTypeOf(detail));
        events.failed(detail, failure);
      },
    });
    return () => {
      cancel();
      end(null);
    };
  }

  #beginTool(toolCallId: string): void {
    if (!this.#tools.has(toolCallId)) this.#tools.set(toolCallId, this.#begin(this.#toolSpan(toolCallId)));
  }

  /** The first one to say so knows most about it. */
  #endTool({ toolCallId, name }: { readonly toolCallId: string; readonly name: string }, error: string | null): void {
    const step = this.#tools.get(toolCallId);
    if (step === undefined) return;
    this.#tools.delete(toolCallId);
    this.#toolSpans.delete(toolCallId);
    this.#end(step, {
      name: spanNames.tool(name),
      isError: error !== null,
      attributes: {
        [genAi.operation]: 'execute_tool',
        [genAi.toolName]: name,
        [genAi.toolCallId]: toolCallId,
        [errorType]: error,
      },
    });
  }

  #toolSpan(toolCallId: string): Buffer {
    const known = this.#toolSpans.get(toolCallId);
    if (known !== undefined) return known;
    const spanId = newSpanId();
    this.#toolSpans.set(toolCallId, spanId);
    return spanId;
  }

  #begin(spanId: Buffer): Step {
    const step: Step = { spanId, startMs: this.#parts.time(), parentId: null, send: null };
    if (this.#isClosed) step.parentId = this.#parts.ids.rootId;
    const [oldest] = this.#steps;
    if (oldest !== undefined && this.#steps.size >= maxSteps) {
      this.#place(oldest, oldest.parentId ?? this.#parts.ids.rootId);
      this.#steps.delete(oldest);
    }
    this.#steps.add(step);
    return step;
  }

  #end(
    step: Step,
    span: Pick<Span, 'name' | 'isError' | 'attributes'> & {
      readonly events?: Span['events'];
      /** Made when the span is sent, because the reply does not have to wait for it. */
      readonly content?: (() => Attributes) | null;
    },
  ): void {
    const { ids, time, send } = this.#parts;
    const { content = null, events = [], ...rest } = span;
    const { spanId, startMs } = step;
    const endMs = time();
    step.send = (parentId) => {
      send({ ...rest, traceId: ids.traceId, spanId, parentId, kind: 'client', startMs, endMs, events }, content?.());
    };
    if (step.parentId !== null) this.#place(step, step.parentId);
  }

  #place(step: Step, parentId: Buffer): void {
    step.parentId = parentId;
    if (step.send === null) return;
    this.#steps.delete(step);
    step.send(parentId);
  }
}

/** The sources of turns that a reply has made. The others are said while one is awaited, or by the service. */
const repliedSources: readonly TracedTurn['source'][] = ['engine', 'reminder', 'fallback'];

export function isReplied({ source }: TracedTurn): boolean {
  return repliedSources.includes(source);
}

/** A call that is not traced: the servers of its tools are told so, and decide the same. */
export class UnsampledConversation implements ConversationTrace {
  readonly #traceId: Buffer;

  constructor({ traceId }: TraceIds) {
    this.#traceId = traceId;
  }

  llm(llm: Llm): Llm {
    return llm;
  }

  tools(tools: Tools): Tools {
    return tools;
  }

  recorded(): void {}

  traceparent(): string {
    return traceparentOf(this.#traceId, newSpanId(), false);
  }

  close(): void {}
}

/** The detail of a failure may have words of the provider, which never become an attribute. */
function errorTypeOf(detail: string): string {
  const status = /\bHTTP (\d{3})\b/.exec(detail)?.[1];
  if (status !== undefined && status !== '200') return status;
  return /\b(time|timeout|timed out)\b/i.test(detail.split(':')[0] ?? '') ? 'timeout' : otherError;
}
