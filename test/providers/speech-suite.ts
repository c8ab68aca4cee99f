import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { level } from '../../src/voice/audio/level.ts';
import type { SpeechProvider } from '../../src/voice/providers/speech-provider.ts';
import type { Stt, SttOptions, Tts, TtsOptions } from '../../src/voice/speech-ports.ts';

/** What a provider must do for calls, whether it is a double or the vendor with a key of the operator. */

export const spoken: TtsOptions = {
  voiceId: 'none',
  model: null,
  speed: 1,
  emotion: null,
  temperature: null,
  language: 'en-US',
  rate: 16_000,
};
export const heard: SttOptions = { language: 'en-US', rate: 16_000, keywords: [], mode: 'fast' };

/** A provider has this long: CallVoice and the turn machine have limits of their own. */
const maxMs = 60_000;

export interface SpokenAudio {
  readonly samples: Int16Array;
  readonly marks: readonly { readonly characters: number; readonly samples: number }[];
  readonly failure: string | null;
}

/** Everything that a voice says. */
export function spokenAudio(tts: Tts, options: Partial<TtsOptions>, ...sentences: string[]): Promise<SpokenAudio> {
  return new Promise((resolve, reject) => {
    const parts: Int16Array[] = [];
    const marks: { characters: number; samples: number }[] = [];
    const timer = setTimeout(() => reject(new Error('the voice takes too long')), maxMs);
    const end = (failure: string | null) => {
      clearTimeout(timer);
      resolve({ samples: joined(parts), marks, failure });
    };
    const stream = tts.open(
      { ...spoken, ...options },
      {
        audio: (samples) => parts.push(samples),
        mark: (characters, samples) => marks.push({ characters, samples }),
        done: () => end(null),
        failed: end,
      },
    );
    for (const [index, text] of sentences.entries()) stream.say(text, index === sentences.length - 1);
  });
}

export interface HeardWords {
  readonly text: string;
  readonly words: readonly { readonly text: string; readonly startMs: number; readonly endMs: number }[];
  readonly partials: readonly string[];
  readonly failure: string | null;
  readonly isFinal: boolean;
}

/** What a recognizer understands until the final that answers `flush`. */
export function heardWords(stt: Stt, options: Partial<SttOptions>, ...audio: Int16Array[]): Promise<HeardWords> {
  return new Promise((resolve, reject) => {
    const partials: string[] = [];
    const texts: string[] = [];
    const words: HeardWords['words'][number][] = [];
    const timer = setTimeout(() => reject(new Error('the recognizer takes too long')), maxMs);
    let hasFlushed = false;
    const end = (failure: string | null, isFinal: boolean) => {
      clearTimeout(timer);
      resolve({ text: texts.join(' ').trim(), words, partials, failure, isFinal });
    };
    const stream = stt.open(
      { ...heard, ...options },
      {
        partial: (text) => partials.push(text),
        final: (text, given) => {
          texts.push(text);
          words.push(...given);
          if (!hasFlushed) return;
          stream.close();
          end(null, false);
        },
        failed: (detail, isFinal = false) => end(detail, isFinal),
      },
    );
    for (const samples of audio) stream.write(samples);
    hasFlushed = true;
    stream.flush();
  });
}

export function describeVoice(
  about: string,
  parts: () => { readonly provider: SpeechProvider; readonly voiceId: string },
) {
  const tts = (): Tts => {
    const found = parts().provider.tts?.('en-US');
    assert.ok(found, 'there is a voice for English');
    return found;
  };
  describe(`${about}, a voice`, () => {
    it('says sentences that arrive one after the other, in order, and says when it is done', async () => {
      const { samples, failure } = await spokenAudio(
        tts(),
        { voiceId: parts().voiceId },
        'Good morning. ',
        'How are you?',
      );
      assert.equal(failure, null);
      assert.ok(samples.length > 8000, `${samples.length} samples`);
      assert.ok(level(samples) > 0, 'there is a sound');
    });

    it('speaks at the rates of calls', async () => {
      const lengths: number[] = [];
      for (const rate of [16_000, 24_000, 48_000]) {
        const { samples } = await spokenAudio(tts(), { voiceId: parts().voiceId, rate }, 'Good morning.');
        lengths.push(samples.length / rate);
      }
      const [first = 0] = lengths;
      for (const seconds of lengths) assert.ok(Math.abs(seconds - first) < first * 0.5, String(lengths));
    });

    it('reports nothing after it was canceled', async () => {
      const stream = tts().open(
        { ...spoken, voiceId: parts().voiceId },
        {
          audio: () => assert.fail('audio after the end'),
          done: () => assert.fail('done after the end'),
          failed: () => assert.fail('failed after the end'),
        },
      );
      stream.say('Good morning.', true);
      stream.cancel();
      await spokenAudio(tts(), { voiceId: parts().voiceId }, 'And again.');
    });

    it('lists its voices', async () => {
      const voices = (await parts().provider.voices?.()) ?? [];
      for (const voice of voices) assert.equal(voice.provider, parts().provider.name);
    });
  });
}

export function describeRecognizer(
  about: string,
  parts: () => { readonly provider: SpeechProvider; readonly audio: readonly Int16Array[]; readonly words: RegExp },
) {
  const stt = (): Stt => {
    const found = parts().provider.stt?.('en-US');
    assert.ok(found, 'there is a recognizer for English');
    return found;
  };
  describe(`${about}, a recognizer`, () => {
    for (const mode of ['fast', 'accurate'] as const) {
      it(`understands what is said, and answers a flush (${mode})`, async () => {
        const { text, failure } = await heardWords(stt(), { mode }, ...parts().audio);
        assert.equal(failure, null);
        assert.match(text, parts().words);
      });
    }

    it('answers a flush without words, too', async () => {
      const { text, failure } = await heardWords(stt(), {});
      assert.deepEqual([text, failure], ['', null]);
    });
  });
}

function joined(parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const part of parts) {
    all.set(part, position);
    position += part.length;
  }
  return all;
}
