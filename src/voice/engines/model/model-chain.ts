import { testModelPrefix } from '../../../contract/test-models.ts';
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

/** A model with nothing to say by then is given up, if there is another. */
const patienceMs = 4000;
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
    const attempts = { stop: () => {}, isRepeated: false };
    this.#send(request, events, attempts);
    return () => attempts.stop();
  }

  get #model(): string {
    return this.#models[this.#current] as string;
  }

  #send(
    request: Pick<LlmRequest, 'messages' | 'tools'>,
    events: ModelChainEvents,
    attempts: { stop: () => void; isRepeated: boolean },
  ): void {
    const { llm, clock, parameters } = this.#options;
    const model = this.#model;
    let isStopped = false;
    let hasBegun = false;
    let held = '';
    let cancelRequest = (): void => {};
    let cancelTimer = (): void => {};
    const stop = (): void => {
      isStopped = true;
      cancelTimer();
      cancelRequest();
    };
    const begin = (): void => {
      hasBegun = true;
      cancelTimer();
    };
    const again = (afterMs: number): void => {
      attempts.isRepeated = true;
      attempts.stop = clock.after(afterMs, () => this.#send(request, events, attempts));
    };
    const switchModel = (): void => {
      stop();
      this.#current += 1;
      events.switched(model, this.#model);
      again(0);
    };
    const fail = (detail: string, failure: LlmFailure = {}): void => {
      stop();
      if (!hasBegun && this.#hasNext) switchModel();
      else if (!hasBegun && !attempts.isRepeated && isWorthARetry(failure)) again(failure.retryAfterMs ?? 0);
      else events.failed(detail);
    };
    attempts.stop = stop;
    this.#count(model, { requests: 1 });
    if (this.#hasNext) cancelTimer = clock.after(patienceMs, switchModel);
    cancelRequest = llm.reply(
      { ...parameters, ...request, model },
      ignoredIf(() => isStopped, {
        text: (text) => {
          // Blank text is held back: another model may be the one that speaks.
          const piece = hasBegun ? text : held + text;
          held = piece;
          if (piece.trim() === '' && !hasBegun) return;
          begin();
          events.text(piece);
        },
        tool: (call) => {
          begin();
          events.tool(call);
        },
        usage: (usage) => this.#count(model, usage),
        done: () => {
          stop();
          events.done();
        },
        failed: fail,
      }),
    );
    // It may have ended before it could be canceled.
    if (isStopped) cancelRequest();
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

function isWorthARetry({ isFinal = false, retryAfterMs = 0 }: LlmFailure): boolean {
  return !isFinal && retryAfterMs <= maxRetryAfterMs;
}

/** Events of a request that nobody waits for any more. */
function ignoredIf(isStopped: () => boolean, events: LlmEvents): LlmEvents {
  const unless =
    <A extends unknown[]>(act: (...values: A) => void) =>
    (...values: A): void => {
      if (!isStopped()) act(...values);
    };
  return {
    text: unless(events.text),
    tool: unless(events.tool),
    usage: unless(events.usage),
    done: unless(events.done),
    failed: unless(events.failed),
  };
}
