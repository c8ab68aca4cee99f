import type { Tts, TtsOptions } from '../../voice/speech-ports.ts';

const maxMs = 15_000;

/** All audio of a text; null if the voice fails or takes too long. */
export function speak(tts: Tts, options: TtsOptions, text: string): Promise<readonly Int16Array[] | null> {
  return new Promise((resolve) => {
    const parts: Int16Array[] = [];
    const end = (result: readonly Int16Array[] | null): void => {
      clearTimeout(timer);
      resolve(result);
    };
    const stream = tts.open(options, {
      audio: (samples) => parts.push(samples),
      done: () => end(parts),
      failed: () => end(null),
    });
    const timer = setTimeout(() => {
      stream.cancel();
      end(null);
    }, maxMs);
    stream.say(text, true);
  });
}
