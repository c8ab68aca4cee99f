import { NestingError, parseForeignJson } from '../../../contract/foreign-json.ts';
import type { LlmEvents, LlmUsage } from '../../llm.ts';
import { MalformedReply, ModelError } from './failure.ts';
import { ReasoningFilter } from './reasoning.ts';

type ReplyEvents = Pick<LlmEvents, 'text' | 'tool' | 'usage' | 'retracted'>;

interface WireCall {
  readonly index?: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null };
}

/** A piece of a reply in a stream, or the whole of it in a response that is none. */
interface WireMessage {
  readonly content?: string | readonly { readonly type?: string; readonly text?: string }[] | null;
  readonly tool_calls?: readonly WireCall[] | null;
}

interface WireChoice {
  readonly delta?: WireMessage | null;
  readonly message?: WireMessage | null;
  readonly finish_reason?: string | null;
}

interface WireReply {
  readonly choices?: readonly WireChoice[] | null;
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  } | null;
  readonly error?: unknown;
}

/** An error in place of a reply. */
export class ReportedError extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super('the model reported an error');
    this.error = error;
  }
}

/**
 * Turns a response into events. Compatible servers leave out much of what OpenAI always sends, and add the reasoning of
 * the model: in fields of its own, which are not read, or between tags in the text.
 */
export class ReplyReader {
  readonly #events: ReplyEvents;
  readonly #filter: ReasoningFilter;
  readonly #calls: { readonly index: number; id: string; name: string; arguments: string }[] = [];
  usage: LlmUsage | undefined;
  hasPieces = false;
  /** The model has said that nothing follows but its usage. */
  isFinished = false;
  /** The reply began with reasoning that was not marked as such. */
  isUnopened = false;
  #hasText = false;

  /** `startsInside`: earlier replies of the model began with reasoning that only a closing tag ended. */
  constructor(events: ReplyEvents, startsInside: boolean) {
    this.#events = events;
    this.#filter = new ReasoningFilter(
      startsInside,
      (text) => {
        this.#hasText = true;
        events.text(text);
      },
      () => {
        this.isUnopened = true;
        this.#hasText = false;
        events.retracted?.();
      },
    );
  }

  /** The data of an event of a stream. */
  readEvent(data: string): void {
    if (data.startsWith('[DONE]')) {
      this.isFinished = this.hasPieces;
      return;
    }
    const reply = parsed(data);
    const choice = reply.choices?.[0];
    this.#read(reply, choice?.delta);
    if (choice?.finish_reason != null) this.isFinished = true;
  }

  /** A response that is not a stream. */
  readWhole(text: string): void {
    const reply = parsed(text);
    const message = reply.choices?.[0]?.message;
    if (message == null) throw new MalformedReply();
    const calls = message.tool_calls?.map((call, index) => ({ ...call, index }));
    this.#read(reply, { ...message, tool_calls: calls ?? null });
    this.isFinished = true;
  }

  /** After the last piece. */
  end(): void {
    this.#filter.end();
    if (this.#calls.some(({ name }) => name === '')) throw new MalformedReply();
    for (const [place, { id, name, arguments: given }] of this.#calls.entries()) {
      // The id only connects the call with its result, and some servers send none.
      this.#events.tool({ id: id || `call_${place}`, name, arguments: given });
    }
    if (this.usage !== undefined) this.#events.usage(this.usage);
    if (this.#filter.hasReasoning && !this.#hasText && this.#calls.length === 0) {
      throw new ModelError('the model sent only reasoning, and no reply');
    }
  }

  #read(reply: WireReply, message: WireMessage | null | undefined): void {
    this.hasPieces = true;
    // Some servers send the sum so far with every chunk, so that the last one counts.
    if (reply.usage != null) this.usage = usageOf(reply.usage);
    const content = contentOf(message?.content);
    if (content !== '') this.#filter.push(content);
    for (const call of message?.tool_calls ?? []) this.#readCall(call);
  }

  /** The first piece of a call has its id and name; the arguments are split anywhere. */
  #readCall({ index = 0, id, function: part }: WireCall): void {
    const last = this.#calls.findLast((call) => call.index === index);
    // Some servers number all calls of a reply with 0.
    const isNew = last === undefined || (id != null && id !== '' && last.id !== '' && id !== last.id);
    const call = isNew ? { index, id: '', name: '', arguments: '' } : last;
    if (isNew) this.#calls.push(call);
    call.id ||= id ?? '';
    call.name ||= part?.name ?? '';
    call.arguments += part?.arguments ?? '';
  }
}

function parsed(text: string): WireReply {
  let value: unknown;
  try {
    value = parseForeignJson(text);
  } catch (error) {
    throw error instanceof NestingError ? new ModelError(`the model sent data ${error.message}`) : new MalformedReply();
  }
  if (typeof value !== 'object' || value === null) throw new MalformedReply();
  const reply = value as WireReply;
  if (reply.error != null) throw new ReportedError(reply.error);
  return reply;
}

/** Some models send a list of parts, of which only texts are for the caller. */
function contentOf(content: WireMessage['content']): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('');
}

function usageOf(usage: NonNullable<WireReply['usage']>): LlmUsage {
  return {
    promptTokens: usage.prompt_tokens ?? 0,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens: usage.completion_tokens ?? 0,
  };
}
