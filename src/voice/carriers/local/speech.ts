import { Resampler } from '../../audio/resample.ts';
import type { Tts } from '../../speech-ports.ts';
import { encoded } from './mulaw.ts';
import type { PlayQueue } from './play-queue.ts';
import { testWords } from './test-words.ts';
import { untilAborted } from './waiting.ts';

/** A voice of a phone or of the carrier. `rate`: what it produces. */
export interface PhoneVoice {
  readonly tts: Tts;
  readonly voiceId: string;
  readonly rate: number;
}

export interface Utterance {
  readonly text: string;
  readonly language: string;
  /** Null: test speech. */
  readonly voice: PhoneVoice | null;
}

/** Says something into a queue; ends when it has been played. A voice that fails is silent. */
export async function speak(
  { text, language, voice }: Utterance,
  queue: PlayQueue,
  signal: AbortSignal,
): Promise<void> {
  if (voice === null) queue.push(testWords(text, language));
  else await synthesized({ text, language, voice }, queue, signal);
  await untilAborted<void>(signal, (resolve) => {
    queue.mark(resolve);
    return undefined;
  });
}

function synthesized(
  { text, language, voice }: Utterance & { voice: PhoneVoice },
  queue: PlayQueue,
  signal: AbortSignal,
): Promise<void> {
  const { tts, voiceId, rate } = voice;
  const resampler = new Resampler(rate, 8000);
  return untilAborted<void>(signal, (resolve) => {
    const stream = tts.open(
      { voiceId, model: null, speed: 1, emotion: null, temperature: null, language, rate },
      {
        audio: (samples) => queue.push(encoded(resampler.process(samples))),
        done: () => {
          queue.push(encoded(resampler.flush()));
          resolve();
        },
        failed: () => resolve(),
      },
    );
    stream.say(text, true);
    return () => stream.cancel();
  });
}
