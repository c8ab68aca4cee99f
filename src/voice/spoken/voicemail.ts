import { BeepDetector } from '../audio/beep.ts';
import type { Clock } from '../clock.ts';
import type { TurnEvent } from '../turn/events.ts';
import { greeterOf } from './voicemail-phrases.ts';

export type AnsweredBy = 'human' | 'machine' | 'fax' | 'unknown';
export type AnswerSource = 'audio' | 'carrier';

export interface VoicemailOptions {
  /** `carrier`: the carrier reports who answered, too. */
  readonly detect: 'audio' | 'carrier';
  readonly action: 'hangup' | 'message' | 'continue';
  /** For the action `message`, with the values of its variables. */
  readonly message: string;
}

export interface VoicemailParts extends VoicemailOptions {
  readonly clock: Clock;
  readonly language: string;
  /** Samples per second of the caller's audio. */
  readonly rate: number;
  readonly onVerdict: (by: AnsweredBy, source: AnswerSource) => void;
  readonly hangUp: () => void;
  /** The agent stops speaking and waits. */
  readonly hush: () => void;
  /** Says the message and ends the call. */
  readonly leave: (message: string) => void;
}

/** What is heard later says nothing about who answered. */
const listenMs = 8000;
/** The carrier's verdict comes after the greeting. */
const carrierMs = 30_000;
/** Nobody who expects an answer begins with so long a sentence. Later on, people talk for as long as they like. */
const longSpeechMs = 2400;
/** Shorter gaps are within a sentence. */
const pauseMs = 300;
/** The tone of a voicemail is shorter. */
const faxToneMs = 1500;
/** A voicemail that has finished without a tone. */
const silenceMs = 1500;
const maxWaitMs = 30_000;

/** Finds out who answered an outbound call, and does what the agent's settings say. The first verdict wins. */
export class Voicemail {
  private readonly parts: VoicemailParts;
  private readonly beeps: BeepDetector;
  private readonly startedAt: number;
  private phase: 'listening' | 'waiting' | 'over' = 'listening';
  private isSounding = false;
  private speechSince: number | null = null;
  private lastSoundAt = 0;
  private hasPaused = false;
  private finals = '';
  private words = '';
  private readonly cancels = new Map<'end' | 'long' | 'fax' | 'silence', () => void>();

  constructor(parts: VoicemailParts) {
    this.parts = parts;
    const { clock, rate, detect } = parts;
    this.startedAt = clock.now();
    this.beeps = new BeepDetector(rate, {
      started: () => this.after('fax', faxToneMs, () => this.decideByAudio('fax')),
      ended: () => this.beep(),
    });
    this.after('end', detect === 'carrier' ? carrierMs : listenMs, () =>
      this.decide(this.speechSince === null ? 'unknown' : 'human', 'audio'),
    );
  }

  audio(samples: Int16Array): void {
    if (this.phase !== 'over') this.beeps.write(samples);
  }

  /** What the detector and the recognizer report. */
  observe(event: TurnEvent) {
    if (this.phase === 'over') return;
    switch (event.type) {
      case 'vad.start':
        return this.soundStarted(event.since);
      case 'vad.end':
        return this.soundEnded(event.since);
      case 'stt.partial':
        return this.heard(event.text);
      case 'stt.final':
        this.finals += ` ${event.text}`;
        return this.heard('');
      default:
        return;
    }
  }

  /** The carrier says who answered. */
  answeredBy(by: AnsweredBy): void {
    if (by !== 'unknown') this.decide(by, 'carrier');
  }

  /** The tone after which a voicemail records. */
  beep(): void {
    this.cancel('fax');
    if (this.phase === 'waiting') this.leave();
    else if (this.decideByAudio('machine') && this.isWaiting) this.leave();
  }

  close(): void {
    this.phase = 'over';
    for (const cancel of this.cancels.values()) cancel();
    this.cancels.clear();
  }

  private get isWaiting(): boolean {
    return this.phase === 'waiting';
  }

  private soundStarted(since: number): void {
    if (this.speechSince !== null && since - this.lastSoundAt >= pauseMs) this.hasPaused = true;
    this.speechSince ??= since;
    this.isSounding = true;
    this.cancel('silence');
    const leftMs = this.speechSince + longSpeechMs - this.parts.clock.now();
    if (!this.hasPaused) this.after('long', Math.max(0, leftMs), () => this.onLongSpeech());
  }

  private soundEnded(since: number): void {
    this.isSounding = false;
    this.lastSoundAt = since;
    this.cancel('long');
    // A detector reports the end late: it may have been long enough.
    if (!this.hasPaused && since - (this.speechSince ?? since) >= longSpeechMs) this.onLongSpeech();
    if (this.phase === 'waiting') this.awaitSilence();
  }

  private heard(partial: string): void {
    this.words = `${this.finals} ${partial}`;
    if (greeterOf(this.words, this.parts.language) === 'machine') this.decideByAudio('machine');
  }

  private onLongSpeech(): void {
    // Shops answer at length; if it is a recording of theirs, what follows says so.
    if (greeterOf(this.words, this.parts.language) !== 'anyone') this.decideByAudio('machine');
  }

  private decideByAudio(by: AnsweredBy): boolean {
    return this.parts.clock.now() - this.startedAt <= listenMs + longSpeechMs && this.decide(by, 'audio');
  }

  /** False if there was a verdict already. */
  private decide(by: AnsweredBy, source: AnswerSource): boolean {
    if (this.phase !== 'listening') return false;
    const { action, onVerdict, hangUp, hush } = this.parts;
    this.close();
    onVerdict(by, source);
    if (by === 'fax' || (by === 'machine' && action === 'hangup')) hangUp();
    else if (by === 'machine' && action === 'message') {
      this.phase = 'waiting';
      hush();
      this.after('end', maxWaitMs, () => this.leave());
      if (!this.isSounding) this.awaitSilence();
    }
    return true;
  }

  private awaitSilence(): void {
    this.after('silence', silenceMs, () => this.leave());
  }

  private leave(): void {
    this.close();
    this.parts.leave(this.parts.message);
  }

  private after(name: 'end' | 'long' | 'fax' | 'silence', ms: number, run: () => void): void {
    this.cancel(name);
    this.cancels.set(name, this.parts.clock.after(ms, run));
  }

  private cancel(name: 'end' | 'long' | 'fax' | 'silence'): void {
    this.cancels.get(name)?.();
    this.cancels.delete(name);
  }
}
