import type { Clock } from '../../../src/voice/clock.ts';
import type { Llm, LlmFailure, LlmRequest } from '../../../src/voice/llm.ts';

/** What a model double sends, in order, each so many milliseconds after the one before. */
export type ScriptedEvent =
  | { readonly after: number; readonly text: string }
  | { readonly after: number; readonly tool: string; readonly arguments: string }
  | { readonly after: number; readonly failed: string; readonly failure?: LlmFailure };

export interface ScriptedLlm extends Llm {
  readonly requests: LlmRequest[];
}

/** A model whose replies are a function of the request. */
export function scriptedLlm(clock: Clock, replyTo: (request: LlmRequest) => readonly ScriptedEvent[]): ScriptedLlm {
  const requests: LlmRequest[] = [];
  return {
    provider: 'scripted',
    sentModel: (model) => `sent-${model}`,
    requests,
    reply(request, events) {
      requests.push(request);
      const script = replyTo(request);
      let cancel = (): void => {};
      const play = (place: number): void => {
        const event = script[place];
        cancel = clock.after(event?.after ?? 5, () => {
          if (event === undefined) {
            events.usage({ promptTokens: 10, cachedTokens: 4, completionTokens: 2 });
            events.done();
            return;
          }
          if ('failed' in event) {
            events.failed(event.failed, event.failure);
            return;
          }
          if ('text' in event) events.text(event.text);
          else events.tool({ id: `call_${requests.length}_${place}`, name: event.tool, arguments: event.arguments });
          play(place + 1);
        });
      };
      play(0);
      return () => cancel();
    },
  };
}

/** The words that the request ends with. */
export function lastWords({ messages }: LlmRequest): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? '';
}
