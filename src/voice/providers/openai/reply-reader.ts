import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { LlmEvents, LlmUsage } from '../../llm.ts';

/** The connection was fine and what arrived on it was not. */
export class MalformedReply extends Error {}

/** Turns the chunks of a reply into events. Compatible servers leave out much of what OpenAI always sends. */
export class ReplyReader {
  readonly #events: Pick<LlmEvents, 'text' | 'tool' | 'usage'>;
  readonly #calls: { readonly index: number; id: string; name: string; arguments: string }[] = [];
  #usage: LlmUsage | undefined;
  #chunks = 0;
  #isFinished = false;

  constructor(events: Pick<LlmEvents, 'text' | 'tool' | 'usage'>) {
    this.#events = events;
  }

  get hasChunks(): boolean {
    return this.#chunks > 0;
  }

  /** The model has said that nothing follows but its usage. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  read(chunk: ChatCompletionChunk): void {
    if (typeof chunk !== 'object' || chunk === null) throw new MalformedReply();
    this.#chunks += 1;
    // Some servers send the sum so far with every chunk, so that the last one counts.
    if (chunk.usage != null) this.#usage = usageOf(chunk.usage);
    const choice = chunk.choices?.[0];
    if (choice === undefined) return;
    const { content, tool_calls: calls } = choice.delta ?? {};
    if (typeof content === 'string' && content !== '') this.#events.text(content);
    for (const call of calls ?? []) this.#readCall(call);
    if (choice.finish_reason != null) this.#isFinished = true;
  }

  /** After the last chunk. */
  end(): void {
    if (this.#calls.some(({ name }) => name === '')) throw new MalformedReply();
    for (const [place, { id, name, arguments: given }] of this.#calls.entries()) {
      // The id only connects the call with its result, and some servers send none.
      this.#events.tool({ id: id || `call_${place}`, name, arguments: given });
    }
    if (this.#usage !== undefined) this.#events.usage(this.#usage);
  }

  /** The first piece of a call has its id and name; the arguments are split anywhere. */
  #readCall({ index = 0, id = '', function: part }: ChatCompletionChunk.Choice.Delta.ToolCall): void {
    const last = this.#calls.findLast((call) => call.index === index);
    // Some servers number all calls of a reply with 0.
    const isNew = last === undefined || (id !== '' && last.id !== '' && id !== last.id);
    const call = isNew ? { index, id: '', name: '', arguments: '' } : last;
    if (isNew) this.#calls.push(call);
    call.id ||= id;
    call.name ||= part?.name ?? '';
    call.arguments += part?.arguments ?? '';
  }
}

function usageOf(usage: NonNullable<ChatCompletionChunk['usage']>): LlmUsage {
  return {
    promptTokens: usage.prompt_tokens ?? 0,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens: usage.completion_tokens ?? 0,
  };
}
