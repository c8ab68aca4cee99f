import { createGain } from '../audio/gain.ts';
import { soundStart } from '../audio/level.ts';
import type { Clock } from '../clock.ts';
import type { Output, OutputEvents, TurnWord } from '../ports.ts';
import type { AudioTransport } from '../speech-ports.ts';
import type { CallVoice } from './call-voice.ts';
import { SentAudio } from './sent-audio.ts';
import type { SpokenSentence } from './speech-part.ts';
import { SpokenUtterance } from './spoken-utterance.ts';

interface OutputParts {
  readonly clock: Clock;
  readonly voice: CallVoice;
  readonly transport: AudioTransport;
  readonly volume: number;
  /** Gets the audio as the caller has heard it, for a recording. */
  readonly onPlayed?: ((samples: Int16Array) => void) | undefined;
}

interface Clearing {
  readonly utterance: SpokenUtterance;
  readonly stop: () => void;
}

/** How far the audio that was sent may be ahead of what was played. */
const maxAheadMs = 3000;
/** Longer audio is sent in pieces. */
const maxPieceMs = 200;
const maxKept = 8;
/** How much of what was heard may be said again after a pause. */
const maxRepeatedMs = 400;
/** How long the caller's side has to report what it played before it stopped. */
const lastReportMs = 250;

/** What the agent says, spoken by a voice and played by the caller's side, which reports what was heard. */
export class SpokenOutput implements Output {
  private readonly parts: OutputParts;
  private readonly events: OutputEvents;
  private readonly gain: (samples: Int16Array) => Int16Array;
  private transport: AudioTransport;
  /** A backchannel can play next to the start of a reply. */
  private readonly utterances = new Map<number, SpokenUtterance>();
  private readonly clearing = new Map<number, Clearing>();
  /** What was sent, by utterance: for the recording, and for a transport that cannot pause. */
  private readonly sentAudio = new Map<number, SentAudio>();
  /** Utterances whose audio is gone with the connection. */
  private readonly lostUtterances = new Set<number>();
  /** When the samples of the last utterances were played, for the words of their turns. */
  private readonly playedTimes = new Map<
    number,
    { readonly utterance: SpokenUtterance; readonly times: PlayedTimes }
  >();
  private isConnected = true;

  constructor(parts: OutputParts, events: OutputEvents) {
    this.parts = parts;
    this.events = events;
    this.gain = createGain(parts.volume);
    this.transport = parts.transport;
  }

  say(number: number, sentence: SpokenSentence, isLast: boolean): void {
    let utterance = this.utterances.get(number);
    if (utterance === undefined) {
      const opened: SpokenUtterance = new SpokenUtterance(number, this.parts.voice, {
        changed: () => this.update(opened),
        failed: () => this.fail(opened),
      });
      utterance = opened;
      this.utterances.set(number, utterance);
    }
    if (!this.lostUtterances.has(number)) utterance.say(sentence, isLast);
  }

  pause(number: number): void {
    const utterance = this.utterances.get(number);
    if (utterance === undefined || utterance.isPaused) return;
    utterance.isPaused = true;
    if (utterance.sent === 0 || !this.canSend(number)) return;
    if (this.transport.pause === undefined) this.transport.clear(number);
    else this.transport.pause(number);
  }

  resume(number: number): void {
    const utterance = this.utterances.get(number);
    if (utterance === undefined || !utterance.isPaused) return;
    utterance.isPaused = false;
    if (utterance.sent > 0 && this.canSend(number)) {
      if (this.transport.resume === undefined) this.sendAgain(utterance);
      else this.transport.resume(number);
    }
    this.update(utterance);
  }

  /** What the caller's side played in the last moment before it stopped is reported a little later. */
  clear(number: number) {
    const utterance = this.utterances.get(number);
    if (utterance === undefined) return;
    this.utterances.delete(number);
    utterance.cancel();
    const isWaiting = utterance.sent > 0 && this.canSend(number);
    this.lostUtterances.delete(number);
    if (!isWaiting) {
      this.sentAudio.delete(number);
      return this.events.cleared(number, utterance.heard);
    }
    this.transport.clear(number);
    const stop = this.parts.clock.after(lastReportMs, () => this.settle(number));
    this.clearing.set(number, { utterance, stop });
  }

  /** How many samples of the utterance were played so far. Unknown and late reports are ignored. */
  played(number: number, samples: number) {
    if (this.lostUtterances.has(number)) return;
    const utterance = this.utterances.get(number) ?? this.clearing.get(number)?.utterance;
    if (utterance === undefined) return;
    const before = utterance.played;
    const isFirst = !utterance.isStarted;
    const isNews = utterance.progress(samples);
    if (isNews) {
      this.noteTime(utterance);
      this.passOn(number, utterance.played - before);
    }
    // The reply waits for what was heard.
    if (this.clearing.has(number)) return this.settle(number);
    if (!isNews) return;
    if (isFirst) this.events.started(number, this.milliseconds(utterance.played));
    this.events.progress(number, utterance.heard, this.milliseconds(utterance.remaining));
    this.update(utterance);
  }

  /** The words of the first so many characters of an utterance, on the clock of the call. */
  takeWords(number: number, characters: number): TurnWord[] {
    const { utterance, times } = this.playedTimes.get(number) ?? {};
    this.playedTimes.delete(number);
    if (utterance === undefined || times === undefined) return [];
    return utterance.words(characters).map(({ text, start, end }) => ({
      text,
      startMs: times.at(start),
      endMs: times.at(end),
      confidence: null,
    }));
  }

  private noteTime(utterance: SpokenUtterance): void {
    const { number, played } = utterance;
    const { times } = this.playedTimes.get(number) ?? { times: new PlayedTimes(this.transport.rate) };
    times.add(played, this.parts.clock.now());
    this.playedTimes.set(number, { utterance, times });
    // Backchannels and utterances of which no word was heard are never asked for.
    if (this.playedTimes.size > maxKept) this.playedTimes.delete(this.playedTimes.keys().next().value as number);
  }

  /** The connection is gone, and with it the audio that was sent. */
  detach(): void {
    this.isConnected = false;
    for (const [number, utterance] of this.utterances) {
      this.lostUtterances.add(number);
      utterance.cancel();
    }
    for (const number of [...this.clearing.keys()]) this.settle(number);
    this.sentAudio.clear();
  }

  /** The new connection may have another rate. */
  attach(transport: AudioTransport): void {
    this.transport = transport;
    this.isConnected = true;
  }

  close(): void {
    for (const utterance of this.utterances.values()) utterance.cancel();
    for (const { stop } of this.clearing.values()) stop();
    this.utterances.clear();
    this.clearing.clear();
    this.sentAudio.clear();
  }

  private canSend(number: number): boolean {
    return this.isConnected && !this.lostUtterances.has(number);
  }

  private update(utterance: SpokenUtterance): void {
    const { number } = utterance;
    if (this.utterances.get(number) !== utterance || !this.canSend(number)) return;
    if (!utterance.isPaused) this.send(utterance);
    if (!utterance.isPlayed) return;
    this.utterances.delete(number);
    this.sentAudio.delete(number);
    // Nothing of it can be spoken, such as a picture.
    if (utterance.sent === 0) {
      this.events.sent(number);
      this.events.started(number);
    }
    this.events.done(number);
  }

  private send(utterance: SpokenUtterance): void {
    const { number } = utterance;
    const { transport } = this;
    const samplesPerMs = transport.rate / 1000;
    for (;;) {
      const ahead = utterance.sent - utterance.played;
      const isFirst = utterance.sent === 0;
      const samples = utterance.take(Math.min(maxPieceMs * samplesPerMs, maxAheadMs * samplesPerMs - ahead));
      if (samples === undefined) return;
      const audio = this.gain(samples);
      if (isFirst) transport.speech(number, 0);
      transport.audio(number, audio);
      this.keep(number, audio);
      if (isFirst) this.events.sent(number);
      if (!utterance.isAudible) this.listen(utterance, audio);
    }
  }

  /** The caller waits until they hear something, which some voices begin later than their audio. */
  private listen(utterance: SpokenUtterance, audio: Int16Array): void {
    const start = soundStart(audio, this.transport.rate);
    utterance.isAudible = start < audio.length;
    if (utterance.isAudible) {
      const silence = utterance.sent - audio.length + start;
      this.events.audible?.(utterance.number, this.milliseconds(silence), this.milliseconds(start));
    }
  }

  /** What was not played, from the start of the word that was cut off: half a word is hard to understand. */
  private sendAgain(utterance: SpokenUtterance): void {
    const { number, played } = utterance;
    const audio = this.sentAudio.get(number);
    if (audio === undefined || audio.rest.length === 0) return;
    const wordStart = utterance.wordStartAt(played) ?? played;
    utterance.played -= audio.rewind(Math.min(played - wordStart, this.samplesOf(maxRepeatedMs)));
    this.transport.speech(number, utterance.played);
    for (const samples of audio.rest) this.transport.audio(number, samples);
  }

  private fail({ number }: SpokenUtterance): void {
    if (!this.utterances.delete(number)) return;
    this.sentAudio.delete(number);
    this.events.failed(number);
  }

  private settle(number: number): void {
    const clearing = this.clearing.get(number);
    if (clearing === undefined) return;
    clearing.stop();
    this.clearing.delete(number);
    this.sentAudio.delete(number);
    this.events.cleared(number, clearing.utterance.heard);
  }

  private milliseconds(samples: number): number {
    return (samples * 1000) / this.transport.rate;
  }

  private samplesOf(ms: number): number {
    return Math.round((ms * this.transport.rate) / 1000);
  }

  // What was sent

  private keep(number: number, audio: Int16Array): void {
    const canPause = this.transport.pause !== undefined;
    if (this.parts.onPlayed === undefined && canPause) return;
    let sent = this.sentAudio.get(number);
    if (sent === undefined) {
      sent = new SentAudio(canPause ? 0 : this.samplesOf(maxRepeatedMs));
      this.sentAudio.set(number, sent);
    }
    sent.add(audio);
  }

  private passOn(number: number, samples: number): void {
    for (const audio of this.sentAudio.get(number)?.play(samples) ?? []) this.parts.onPlayed?.(audio);
  }
}

/** When the samples of an utterance were played, as it was reported. Pauses make the difference to its length. */
class PlayedTimes {
  private readonly reports: { readonly samples: number; readonly at: number }[] = [];
  private readonly samplesPerMs: number;

  constructor(rate: number) {
    this.samplesPerMs = rate / 1000;
  }

  /** `samples`: how many have been played by now. */
  add(samples: number, at: number): void {
    this.reports.push({ samples, at });
  }

  at(samples: number): number {
    const index = this.reports.findIndex((report) => report.samples >= samples);
    const report = this.reports[index] ?? this.reports.at(-1);
    if (report === undefined) return 0;
    const before = this.reports[index - 1]?.at ?? Number.NEGATIVE_INFINITY;
    return Math.max(before, report.at - Math.max(0, report.samples - samples) / this.samplesPerMs);
  }
}
