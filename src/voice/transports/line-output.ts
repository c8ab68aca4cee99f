import { encodeMulaw } from '../audio/g711.ts';
import { keyTone } from '../audio/tones.ts';
import type { Clock } from '../clock.ts';

interface OutputParts {
  readonly clock: Clock;
  readonly media: (codes: Buffer) => void;
  readonly mark: (name: string) => void;
  readonly clear: () => void;
  /** The first so many samples of an utterance were played. */
  readonly played: (utterance: number, samples: number) => void;
}

/** Audio that was sent, and that the other side has not reported as played. */
interface Sent {
  /** The utterance that it is part of; `key` and `sound`: it is none. */
  readonly of: number | 'key' | 'sound';
  readonly codes: Buffer;
  /** How many samples of the utterance have been played when the mark returns. */
  readonly end: number;
  /** The name of the mark that follows it, or null. */
  mark: string | null;
}

/** An utterance that is being sent. */
interface Speech {
  /** How many of its samples were sent, and reported as played. */
  position: number;
  played: number;
  nextMark: number;
  /** Too short to be sent on its own. */
  rest: Int16Array;
}

export const lineRate = 8000;
const samplesPerMs = lineRate / 1000;
/** Early, so that the start of the speech is known. */
const firstMark = 20 * samplesPerMs;
const markEvery = 100 * samplesPerMs;
const minChunk = 20 * samplesPerMs;
/** How long the end of what was sent may wait for more, before it gets a mark of its own. */
const tailMs = 20;
const maxSpeeches = 8;
const maxKeys = 64;
/** The other side is ahead of its marks by the delay of the network. */
const networkMs = 100;
const nothing = new Int16Array(0);

/**
 * The agent's audio on a line that plays what it gets in order, reports marks as they are reached, and can only drop
 * everything that is waiting. It drops the marks too, or rather returns them, so each has the generation it belongs to.
 */
export class LineOutput {
  readonly #parts: OutputParts;
  readonly #speeches = new Map<number, Speech>();
  #sent: Sent[] = [];
  #generation = 0;
  #marks = 0;
  /** When the first audio that was sent began to play, if that is known. */
  #playingSince = 0;
  #lastAudioAt = 0;
  #cancelTail: (() => void) | null = null;

  constructor(parts: OutputParts) {
    this.#parts = parts;
  }

  speech(utterance: number, position: number): void {
    this.#open(utterance, position);
  }

  audio(utterance: number, samples: Int16Array): void {
    const speech = this.#speeches.get(utterance) ?? this.#open(utterance, 0);
    let rest = speech.rest.length === 0 ? samples : joined(speech.rest, samples);
    while (speech.position + rest.length >= speech.nextMark) {
      const length = speech.nextMark - speech.position;
      this.#send(utterance, speech, rest.subarray(0, length));
      this.#markLast();
      speech.nextMark += markEvery;
      rest = rest.subarray(length);
    }
    if (rest.length >= minChunk) {
      this.#send(utterance, speech, rest);
      rest = nothing;
    }
    speech.rest = rest;
    this.#lastAudioAt = this.#parts.clock.now();
    this.#cancelTail ??= this.#parts.clock.after(tailMs, () => this.#onTail());
  }

  /** Drops an utterance. Everything else that the line drops with it is sent again. */
  clear(utterance: number): void {
    const kept = this.#keptAfterClear(utterance);
    const { played: samples } = this.#speeches.get(utterance) ?? { played: 0 };
    // If it goes on, it goes on from there.
    this.#open(utterance, samples);
    this.#generation += 1;
    if (this.#sent.length > 0) this.#parts.clear();
    this.#sent = [];
    for (const { of, codes, end } of kept) {
      this.#sendCodes(of, codes, end);
      this.#markLast();
    }
    // Nothing more will be reported about it, so nobody has to wait for a report.
    const { clock, played } = this.#parts;
    clock.after(0, () => played(utterance, samples));
  }

  /** Presses keys after what was sent before; `w` is a pause. False: there are too many, or one does not exist. */
  pressKeys(keys: string): boolean {
    const tones = [...keys].map((key) => keyTone(key, lineRate));
    const waiting = this.#sent.filter(({ of }) => of === 'key').length;
    if (tones.includes(undefined) || waiting + tones.length > maxKeys) return false;
    this.#sendTails();
    for (const tone of tones) {
      this.#sendCodes('key', encodeMulaw(tone as Int16Array), 0);
      this.#markLast();
    }
    return true;
  }

  /** Plays a sound that is part of no utterance, and dropped with the next `clear`. */
  play(samples: Int16Array): void {
    this.#sendTails();
    this.#sendCodes('sound', encodeMulaw(samples), 0);
    this.#markLast();
  }

  /** A mark was reached. Those of an earlier generation, which were dropped, and unknown ones are ignored. */
  onMark(name: string): void {
    const index = this.#sent.findIndex(({ mark }) => mark === name);
    if (index === -1) return;
    const played = this.#sent.splice(0, index + 1);
    this.#playingSince = this.#parts.clock.now();
    for (const [place, { of, end }] of played.entries()) {
      const isLast = played[place + 1]?.of !== of;
      if (!isLast || typeof of !== 'number') continue;
      const speech = this.#speeches.get(of);
      if (speech !== undefined) speech.played = end;
      this.#parts.played(of, end);
    }
  }

  close(): void {
    this.#cancelTail?.();
    this.#cancelTail = null;
    this.#speeches.clear();
    this.#sent = [];
  }

  #open(utterance: number, position: number): Speech {
    const speech = { position, played: position, nextMark: position + firstMark, rest: nothing };
    this.#speeches.delete(utterance);
    this.#speeches.set(utterance, speech);
    if (this.#speeches.size > maxSpeeches) this.#speeches.delete(this.#speeches.keys().next().value as number);
    return speech;
  }

  #send(utterance: number, speech: Speech, samples: Int16Array): void {
    speech.position += samples.length;
    this.#sendCodes(utterance, encodeMulaw(samples), speech.position);
  }

  #sendCodes(of: Sent['of'], codes: Buffer, end: number): void {
    if (this.#sent.length === 0) this.#playingSince = this.#parts.clock.now();
    this.#sent.push({ of, codes, end, mark: null });
    this.#parts.media(codes);
  }

  /** Marks the end of what was sent last. */
  #markLast(): void {
    const last = this.#sent.at(-1);
    if (last === undefined || last.mark !== null) return;
    this.#marks += 1;
    const { of, end } = last;
    last.mark = `${this.#generation}.${of}.${typeof of === 'number' ? end : this.#marks}`;
    this.#parts.mark(last.mark);
  }

  #onTail(): void {
    const restMs = this.#lastAudioAt + tailMs - this.#parts.clock.now();
    if (restMs <= 0) this.#sendTails();
    else this.#cancelTail = this.#parts.clock.after(restMs, () => this.#onTail());
  }

  /** What is too short for a chunk, and the mark after it: more did not come in time, so it may be the end. */
  #sendTails(): void {
    this.#cancelTail?.();
    this.#cancelTail = null;
    for (const [utterance, speech] of this.#speeches) {
      if (speech.rest.length === 0) continue;
      this.#send(utterance, speech, speech.rest);
      speech.rest = nothing;
    }
    this.#markLast();
  }

  /** Other utterances, and keys that were not heard yet: a key that is heard twice counts twice. */
  #keptAfterClear(utterance: number): Sent[] {
    const heard = (this.#parts.clock.now() - this.#playingSince + networkMs) * samplesPerMs;
    let start = 0;
    return this.#sent.filter(({ of, codes }) => {
      const isHeard = start < heard;
      start += codes.length;
      return of === 'key' ? !isHeard : of !== utterance && of !== 'sound';
    });
  }
}

function joined(first: Int16Array, second: Int16Array): Int16Array {
  const all = new Int16Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
