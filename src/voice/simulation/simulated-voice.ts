import type { Clock } from '../clock.ts';
import type { Output, OutputEvents } from '../ports.ts';
import type { SeededRandom } from './random.ts';
import { spokenWords } from './spoken-words.ts';

interface Piece {
  /** Characters of the utterance that are heard once the piece has been played. */
  readonly heard: number;
  readonly ms: number;
}

type Playing = ReturnType<typeof newPlaying>;

function newPlaying(utterance: number) {
  return {
    utterance,
    pieces: [] as Piece[],
    /** Characters of the transcript that were said so far. */
    length: 0,
    next: 0,
    /** The duration of what was not played yet. */
    remainingMs: 0,
    heard: 0,
    isComplete: false,
    isStarted: false,
    isPaused: false,
    /** Everything so far was played, and more may follow. */
    isWaiting: false,
    /** What is being played: pieces up to this one, since this time, at this pace. */
    until: 0,
    since: 0,
    pace: 1,
    stop: () => {},
  };
}

export interface VoiceTimes {
  readonly language: string;
  readonly noise: number;
  readonly speed: number;
  /** How often it reports what was heard; 0: after every word. */
  readonly reportMs: number;
  /** How long the last report takes after `clear`. */
  readonly clearedMs?: number;
}

/** From a text to its first audio, for a voice at the usual distance. */
const firstAudioMs = 120;

/** A voice and a player for simulations: says every word for as long as a voice would take. */
export class SimulatedVoice implements Output {
  private readonly clock: Clock;
  private readonly events: OutputEvents;
  private readonly random: SeededRandom;
  private readonly times: VoiceTimes;
  /** A backchannel can play next to the start of a reply. */
  private readonly playing = new Map<number, Playing>();

  constructor(clock: Clock, events: OutputEvents, random: SeededRandom, times: VoiceTimes) {
    this.clock = clock;
    this.events = events;
    this.random = random;
    this.times = times;
  }

  say(utterance: number, sentence: { readonly text: string; readonly length: number }, isLast: boolean): void {
    let playing = this.playing.get(utterance);
    if (playing === undefined) {
      playing = this.open(utterance);
      this.playing.set(utterance, playing);
    }
    this.add(playing, sentence);
    playing.isComplete = isLast;
    if (playing.isWaiting && !playing.isPaused) this.playNext(playing);
  }

  pause(utterance: number): void {
    const playing = this.playing.get(utterance);
    if (playing === undefined || playing.isPaused) return;
    playing.isPaused = true;
    this.stopPlaying(playing);
  }

  /** The word that was cut is played again from its start. */
  resume(utterance: number): void {
    const playing = this.playing.get(utterance);
    if (playing === undefined || !playing.isPaused) return;
    playing.isPaused = false;
    if (playing.isStarted) this.playNext(playing);
  }

  clear(utterance: number): void {
    const playing = this.playing.get(utterance);
    if (playing === undefined) return;
    this.stopPlaying(playing);
    playing.stop();
    this.playing.delete(utterance);
    const { heard } = playing;
    this.clock.after(this.times.clearedMs ?? 20, () => this.events.cleared(utterance, heard));
  }

  close(): void {
    for (const { stop } of this.playing.values()) stop();
    this.playing.clear();
  }

  private open(utterance: number): Playing {
    const { clock, random, times, events } = this;
    const playing = newPlaying(utterance);
    playing.stop = clock.after(random.around(firstAudioMs, times.noise), () => {
      playing.isStarted = true;
      events.sent(utterance);
      if (!this.playing.has(utterance)) return;
      events.started(utterance);
      if (this.playing.has(utterance) && !playing.isPaused) this.playNext(playing);
    });
    return playing;
  }

  /** Where the spoken text differs from the transcript, what is heard is counted in proportion. */
  private add(playing: Playing, { text, length }: { readonly text: string; readonly length: number }): void {
    const { language, speed } = this.times;
    const start = playing.length;
    playing.length += length;
    const words = spokenWords(text, language);
    if (words.length === 0) {
      if (length > 0) playing.pieces.push({ heard: playing.length, ms: 0 });
      return;
    }
    const isUnchanged = text.length === length;
    const last = words.at(-1);
    for (const word of words) {
      const end = isUnchanged ? word.end : Math.round((word.end / text.length) * length);
      const ms = word.ms / speed;
      playing.pieces.push({ heard: start + (word === last ? length : end), ms });
      playing.remainingMs += ms;
    }
  }

  private playNext(playing: Playing): void {
    const { pieces, next } = playing;
    playing.isWaiting = next >= pieces.length;
    if (playing.isWaiting) {
      if (playing.isComplete) this.finish(playing);
      return;
    }
    let ms = 0;
    let until = next;
    do ms += (pieces[until++] as Piece).ms;
    while (until < pieces.length && ms < this.times.reportMs);
    playing.until = until;
    playing.since = this.clock.now();
    playing.pace = this.random.around(1, this.times.noise / 4);
    playing.stop = this.clock.after(ms * playing.pace, () => {
      this.hear(playing, until);
      this.events.progress(playing.utterance, playing.heard, playing.remainingMs);
      if (this.playing.has(playing.utterance) && !playing.isPaused) this.playNext(playing);
    });
  }

  /** Words that were played to their end before this moment have been heard. */
  private stopPlaying(playing: Playing): void {
    if (!playing.isStarted || playing.isWaiting) return;
    playing.stop();
    const playedMs = (this.clock.now() - playing.since) / playing.pace;
    let ms = 0;
    let heard = playing.next;
    while (heard < playing.until && ms + (playing.pieces[heard] as Piece).ms <= playedMs) {
      ms += (playing.pieces[heard++] as Piece).ms;
    }
    if (heard > playing.next) this.hear(playing, heard);
    playing.until = playing.next;
  }

  private hear(playing: Playing, until: number): void {
    for (let index = playing.next; index < until; index += 1)
      playing.remainingMs -= (playing.pieces[index] as Piece).ms;
    playing.next = until;
    playing.heard = (playing.pieces[until - 1] as Piece).heard;
  }

  private finish({ utterance }: Playing): void {
    this.playing.delete(utterance);
    this.events.done(utterance);
  }
}
