import { VirtualClock } from '../src/voice/clock.ts';
import type { Detector, Stt, Tts, TtsEvents } from '../src/voice/speech-ports.ts';
import { CallVoice } from '../src/voice/spoken/call-voice.ts';
import { SpeechCache } from '../src/voice/spoken/speech-cache.ts';
import { SpokenInput } from '../src/voice/spoken/spoken-input.ts';
import { SpokenOutput } from '../src/voice/spoken/spoken-output.ts';
import { atMost, type Target } from './targets.ts';

const rate = 16_000;
const seconds = 10;
const ignore = () => {};

/** What a second of audio costs on its way in and out of a call, with providers that do nothing. */
export function spokenTargets(perSecond: (run: () => void) => number): Target[] {
  const perAudioSecond = (run: () => void) => 1e6 / (perSecond(run) * seconds);
  const speech = wave(rate / 50);
  const input = newInput();
  const output = newOutput();
  return [
    atMost(
      'a second of the caller’s audio',
      perAudioSecond(() => hear(input, speech)),
      500,
      'µs',
    ),
    atMost(
      'a second of the agent’s audio, with a volume',
      perAudioSecond(() => speak(output)),
      500,
      'µs',
    ),
  ];
}

function wave(samples: number): Int16Array {
  return Int16Array.from({ length: samples }, (_, index) => Math.round(12_000 * Math.sin(index / 5)));
}

function newInput() {
  const clock = new VirtualClock();
  const detector: Detector = { name: 'none', open: () => ({ write: ignore, close: ignore }) };
  const stream = { write: ignore, flush: ignore, close: ignore };
  const stt: Stt = { name: 'none', hasPartials: true, waitMs: 0, open: () => stream };
  const input = new SpokenInput({
    clock,
    detector,
    recognizers: [stt],
    options: { language: 'en', rate, keywords: [], mode: 'fast' },
    dispatch: ignore,
    onSwitched: ignore,
  });
  return { clock, input };
}

function hear({ clock, input }: ReturnType<typeof newInput>, frame: Int16Array): void {
  for (let index = 0; index < 50 * seconds; index += 1) {
    clock.advance(20);
    input.write(frame);
  }
}

function newOutput() {
  const clock = new VirtualClock();
  const streams: TtsEvents[] = [];
  const tts: Tts = {
    name: 'none',
    notApplied: () => [],
    open: (_options, events) => {
      streams.push(events);
      return { say: ignore, cancel: ignore };
    },
  };
  const settings = { model: null, emotion: null, temperature: 1, language: 'en', rate, fixedSentences: new Set('') };
  const voice = new CallVoice(clock, tts, { ...settings, voiceIds: ['a'], speed: () => 1 }, new SpeechCache(), ignore);
  const transport = { rate, speech: ignore, audio: ignore, pause: ignore, resume: ignore, clear: ignore };
  const events = { sent: ignore, started: ignore, progress: ignore, done: ignore, cleared: ignore, failed: ignore };
  const output = new SpokenOutput({ clock, voice, transport, volume: 1.2 }, events);
  return { output, streams, audio: wave(rate / 10), utterance: 0 };
}

/** The voice delivers 100 ms at a time, and the caller's side reports as often. */
function speak(state: ReturnType<typeof newOutput>): void {
  const { output, streams, audio } = state;
  const utterance = ++state.utterance;
  const text = 'Thank you very much, your table is booked for tomorrow at seven, and we look forward to seeing you. ';
  output.say(utterance, { text, length: text.length }, true);
  const stream = streams.pop();
  for (let index = 0; index < 10 * seconds; index += 1) stream?.audio(audio);
  stream?.done();
  for (let index = 1; index <= 10 * seconds; index += 1) output.played(utterance, index * audio.length);
}
