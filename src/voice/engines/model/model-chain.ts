import { testModelPrefix } from '../../../contract/agents/test-models.ts';
import type { Clock } from '../../clock.ts';
import type { Llm, LlmEvents, LlmFailure, LlmParameters, LlmRequest, LlmUsage, ModelUsage } from '../../llm.ts';

export interface ModelChainOptions {
  readonly llm: Llm;
  readonly clock: Clock;
  readonly parameters: LlmParameters;
  /** The models that take over, in order. */
  readonly fallbackModels?: readonly string[] | undefined;
}

/** As JSON, for a call that continues elsewhere or later. */
export interface ModelChainState {
  readonly model: string;
  readonly usage: readonly ModelUsage[];
}

export interface ModelChainEvents extends Pick<LlmEvents, 'text' | 'tool' | 'done'> {
  failed(detail: string): void;
  /** Another model replies from now on. */
  switched(from: string, to: string): void;
}

/** What a model is asked for, whichever it is. */
interface Ask {
  readonly request: Pick<LlmRequest, 'messages' | 'tools'>;
  readonly events: ModelChainEvents;
  stop: () => void;
  /** The request was sent more than once. */
  isRepeated: boolean;
}

/** One request to one model. */
type Attempt = ReturnType<typeof newAttempt>;

function newAttempt() {
  return {
    isOver: false,
    /** Text or a call of a tool has arrived. */
    hasBegun: false,
    unsent: '',
    cancelTimer: () => {},
    cancelRequest: () => {},
  };
}

/** A model with nothing to say by then is given up, if there is another. */
const firstTextTimeoutMs = 4000;
/** Callers do not wait longer for a provider that is too busy. */
const maxRetryAfterMs = 2000;

/**
 * The model of a call and those that stand in for it. A request that fails before its first text is sent once more: to
 * the next model if there is one, which then stays for the call.
 */
export class ModelChain {
  readonly #options: ModelChainOptions;
  readonly #models: readonly string[];
  readonly #usage = new Map<string, ModelUsage>();
  #current = 0;

  constructor(options: ModelChainOptions) {
    this.#options = options;
    const { parameters, fallbackModels = [] } = options;
    // The name of a test model never leaves the process.
    const others = fallbackModels.filter((name) => !name.startsWith(testModelPrefix));
    this.#models = [...new Set([parameters.model, ...others])];
  }

  /** For each model that was used, over the whole call. */
  usage(): readonly ModelUsage[] {
    return [...this.#usage.values()];
  }

  state(): ModelChainState {
    return { model: this.#model, usage: this.usage() };
  }

  /** Continues a call with what `state` returned earlier. */
  restore(state: unknown): void {
    const { model = '', usage = [] } = (state ?? {}) as Partial<ModelChainState>;
    this.#current = Math.max(0, this.#models.indexOf(model));
    for (const each of usage) this.#usage.set(each.model, each);
  }

  /** Asks for a reply, and returns how to cancel it. */
  reply(request: Pick<LlmRequest, 'messages' | 'tools'>, events: ModelChainEvents): () => void {
    const ask: Ask = { request, events, stop: () => {}, isRepeated: false };
    this.#send(ask);
    return () => ask.stop();
  }

  get #model(): string {
    return this.#models[this.#current] as string;
  }

  #send(ask: Ask): void {
    const { llm, clock, parameters } = this.#options;
    const model = this.#model;
    const attempt = newAttempt();
    ask.stop = () => cancel(attempt);
    this.#count(model, { requests: 1 });
    if (this.#hasNext) {
      attempt.cancelTimer = clock.after(firstTextTimeoutMs, () => {
        cancel(attempt);
        this.#switchModel(ask);
      });
    }
    attempt.cancelRequest = llm.reply(
      { ...parameters, ...ask.request, model },
      {
        text: (text) => {
          if (!attempt.isOver) say(attempt, text, ask.events);
        },
        tool: (call) => {
          if (attempt.isOver) return;
          begin(attempt);
          ask.events.tool(call);
        },
        usage: (usage) => {
          if (!attempt.isOver) this.#count(model, usage);
        },
        done: () => {
          if (attempt.isOver) return;
          finish(attempt);
          ask.events.done();
        },
        failed: (detail, failure = {}) => {
          if (attempt.isOver) return;
          finish(attempt);
          if (attempt.hasBegun || !this.#tryAgain(ask, failure)) ask.events.failed(detail);
        },
      },
    );
    // What it sent before it could be canceled may have canceled it.
    if (attempt.isOver) attempt.cancelRequest();
  }

  /** Returns whether there is anything left to try. */
  #tryAgain(ask: Ask, failure: LlmFailure): boolean {
    if (this.#hasNext) {
      this.#switchModel(ask);
      return true;
    }
    const { isFinal = false, retryAfterMs = 0 } = failure;
    if (ask.isRepeated || isFinal || retryAfterMs > maxRetryAfterMs) return false;
    this.#repeat(ask, retryAfterMs);
    return true;
  }

  #switchModel(ask: Ask): void {
    const from = this.#model;
    this.#current += 1;
    ask.events.switched(from, this.#model);
    this.#repeat(ask, 0);
  }

  #repeat(ask: Ask, afterMs: number): void {
    ask.isRepeated = true;
    ask.stop = this.#options.clock.after(afterMs, () => this.#send(ask));
  }

  get #hasNext(): boolean {
    return this.#current + 1 < this.#models.length;
  }

  #count(model: string, { requests = 0, ...tokens }: Partial<LlmUsage> & { readonly requests?: number }): void {
    const { llm } = this.#options;
    const before = this.#usage.get(model);
    this.#usage.set(model, {
      provider: llm.provider,
      model,
      sentModel: llm.sentModel(model),
      requests: (before?.requests ?? 0) + requests,
      promptTokens: (before?.promptTokens ?? 0) + (tokens.promptTokens ?? 0),
      cachedTokens: (before?.cachedTokens ?? 0) + (tokens.cachedTokens ?? 0),
      completionTokens: (before?.completionTokens ?? 0) + (tokens.completionTokens ?? 0),
    });
  }
}

function begin(attempt: Attempt): void {
  attempt.hasBegun = true;
  attempt.cancelTimer();
}

/** Blank text is held back until there is something to say: another model may be the one that speaks. */
function say(attempt: Attempt, text: string, events: ModelChainEvents): void {
  const piece = attempt.unsent + text;
  const isBlank = !attempt.hasBegun && piece.trim() === '';
  attempt.unsent = isBlank ? piece : '';
  if (isBlank) return;
  begin(attempt);
  events.text(piece);
}

function finish(attempt: Attempt): void {
  attempt.isOver = true;
  attempt.cancelTimer();
}

function cancel(attempt: Attempt): void {
  if (attempt.isOver) return;
  finish(attempt);
  attempt.cancelRequest();
}
