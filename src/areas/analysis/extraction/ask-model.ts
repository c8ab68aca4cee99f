import type { Clock } from '../../../voice/clock.ts';
import type { Llm, LlmMessage, LlmUsage } from '../../../voice/llm.ts';

export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly isTimeout: boolean;
  /** The provider rejects the request as such. */
  readonly isRejected: boolean;

  constructor(detail: string, { isTimeout = false, isRejected = false } = {}) {
    super(detail);
    this.isTimeout = isTimeout;
    this.isRejected = isRejected;
  }
}

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly LlmMessage[];
  readonly schema: object | null;
}

/** Without a piece of the response for this long, the model is given up. */
const silenceMs = 60_000;
const maxOutputBytes = 1024 * 1024;

/** Resolves to the whole text of a reply. Rejects with ModelFailure, or with the reason of the signal. */
export function askModel(
  llm: Llm,
  clock: Clock,
  { model, messages, schema }: ModelRequest,
  onUsage: (usage: LlmUsage) => void,
  signal: AbortSignal,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  let bytes = 0;
  let cancel = () => {};
  let stopTimer = () => {};
  const settle = (end: () => void): void => {
    stopTimer();
    signal.removeEventListener('abort', onAbort);
    cancel();
    end();
  };
  const fail = (failure: ModelFailure): void => settle(() => reject(failure));
  const onAbort = (): void => settle(() => reject(signal.reason));
  const waitOn = (): void => {
    stopTimer();
    stopTimer = clock.after(silenceMs, () =>
      fail(new ModelFailure('the model did not respond in time', { isTimeout: true })),
    );
  };
  if (signal.aborted) return Promise.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  waitOn();
  cancel = llm.reply(
    { model, messages, tools: [], schema: schema ?? undefined },
    {
      text: (text) => {
        bytes += Buffer.byteLength(text);
        // The rest is not read: what is there is checked like any other output.
        if (bytes > maxOutputBytes) return settle(() => resolve(output));
        output += text;
        waitOn();
      },
      retracted: () => {
        output = '';
        bytes = 0;
      },
      tool: () => {},
      usage: onUsage,
      done: () => settle(() => resolve(output)),
      failed: (detail, { isFinal = false } = {}) => fail(new ModelFailure(detail, { isRejected: isFinal })),
    },
  );
  return promise;
}
