import type { Clock } from '../clock.ts';
import type { Input, TurnWord } from '../ports.ts';
import type { Detector, Stt, SttOptions, SttStream } from '../speech-ports.ts';
import type { TurnEvent } from '../turn/events.ts';
import { EnergyGate } from './energy-gate.ts';
import { WrittenAudio } from './written-audio.ts';

interface InputParts {
  readonly clock: Clock;
  readonly detector: Detector;
  /** The recognizer, and those that replace it in this order. None: the words come from elsewhere. */
  readonly recognizers: readonly Stt[];
  readonly options: SttOptions;
  readonly dispatch: (event: TurnEvent) => void;
  readonly onSwitched: (from: string, to: string) => void;
}

export interface RecognizerUsage {
  readonly provider: string;
  readonly requests: number;
  readonly audioMs: number;
}

/** The first attempt is immediate, and all of them are within five seconds. */
const reconnectDelaysMs = [0, 500, 1500];
/** A recognizer that worked for this long has recovered; one that fails for this long is replaced. */
const recoveredMs = 5000;
/** How much longer than it says a recognizer may take for the first thing that it says. */
const silentMs = 2000;
const keepAliveMs = 3000;

/** The caller's voice: finds speech in it and has it recognized. */
export class SpokenInput implements Input {
  /** What a recognizer last reported as failed, in words. */
  failure: string | null = null;
  private readonly parts: InputParts;
  private readonly detecting: ReturnType<Detector['open']>;
  private readonly gate: EnergyGate;
  private readonly written: WrittenAudio;
  private readonly startedAt: number;
  private stream: SttStream | null = null;
  private recognizer = 0;
  private reconnects = 0;
  private openedAt = 0;
  /** Since when it has been failing, without a recovery in between. */
  private failingSince: number | null = null;
  private hasAnswered = false;
  private stopListening: (() => void) | null = null;
  private isSpeech = false;
  private isFlushing = false;
  private isClosed = false;
  private withheld = 0;
  private stopWaiting: (() => void) | null = null;
  private readonly used: { requests: number; samples: number }[];
  /** Words of finals that belong to no committed turn yet, on the clock of the call. */
  private readonly words: TurnWord[] = [];

  constructor(parts: InputParts) {
    this.parts = parts;
    this.startedAt = parts.clock.now();
    const { rate } = parts.options;
    this.gate = new EnergyGate(rate);
    this.written = new WrittenAudio(rate);
    this.used = parts.recognizers.map(() => ({ requests: 0, samples: 0 }));
    this.detecting = parts.detector.open(rate, {
      start: (samplesAgo) => {
        this.isSpeech = true;
        parts.dispatch({ type: 'vad.start', since: this.timeBefore(samplesAgo) });
      },
      end: (samplesAgo) => {
        this.isSpeech = false;
        parts.dispatch({ type: 'vad.end', since: this.timeBefore(samplesAgo) });
      },
    });
    this.open();
  }

  /** The caller's audio. It is kept until it is recognized, so it must not be changed afterwards. */
  write(samples: Int16Array): void {
    if (this.isClosed || samples.length === 0) return;
    this.detecting.write(samples);
    if (this.parts.recognizers.length === 0 || this.isClosed) return;
    const wasOpen = this.gate.isOpen;
    this.gate.pass(samples, this.isSpeech, (piece, samplesAgo, isContinued) => {
      this.written.add(piece, this.timeBefore(samplesAgo), isContinued);
      this.send(piece);
    });
    if (this.gate.isOpen || wasOpen) this.withheld = 0;
    else this.keepAlive(samples.length);
  }

  /** The caller's side has recognized its own words. */
  recognized(text: string, isFinal: boolean): void {
    if (!this.isClosed) this.parts.dispatch({ type: isFinal ? 'stt.final' : 'stt.partial', text });
  }

  flush(): void {
    if (this.parts.recognizers.length === 0) return;
    this.isFlushing = true;
    this.written.endSegment();
    this.stream?.flush();
    this.awaitAnswer();
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.stopWaiting?.();
    this.stopListening?.();
    this.detecting.close();
    this.closeStream();
  }

  get usage(): RecognizerUsage[] {
    const { rate } = this.parts.options;
    return this.parts.recognizers.flatMap(({ name }, index) => {
      const { requests = 0, samples = 0 } = this.used[index] ?? {};
      return requests === 0 ? [] : [{ provider: name, requests, audioMs: Math.round((samples * 1000) / rate) }];
    });
  }

  /** The words so far; they are of the turn that is committed now, or of none. */
  takeWords(): TurnWord[] {
    return this.words.splice(0);
  }

  /** Audio that arrives faster than it was said was still not said before the call began. */
  private timeBefore(samplesAgo: number): number {
    return Math.max(this.startedAt, this.parts.clock.now() - (samplesAgo * 1000) / this.parts.options.rate);
  }

  private send(samples: Int16Array): void {
    if (this.stream === null) return;
    const used = this.used[this.recognizer];
    if (used !== undefined) used.samples += samples.length;
    this.stream.write(samples);
  }

  /** Counted in samples, because a timer for each call would only repeat what the caller's audio says anyway. */
  private keepAlive(samples: number): void {
    this.withheld += samples;
    if ((this.withheld * 1000) / this.parts.options.rate < keepAliveMs) return;
    this.withheld = 0;
    this.stream?.keepAlive?.();
  }

  private open(): void {
    const { recognizers, options, clock } = this.parts;
    const stt = recognizers[this.recognizer];
    if (stt === undefined) return;
    let isOver = false;
    this.openedAt = clock.now();
    this.hasAnswered = false;
    const used = this.used[this.recognizer];
    if (used !== undefined) used.requests += 1;
    const stream = stt.open(options, {
      partial: (text, startMs) => {
        if (isOver) return;
        this.hasAnswered = true;
        const segment = startMs === undefined ? {} : { segment: this.written.segmentFrom(startMs) };
        this.parts.dispatch({ type: 'stt.partial', text, ...segment });
      },
      final: (text, words, endMs) => {
        if (isOver) return;
        this.hasAnswered = true;
        this.onFinal(text, words, endMs);
      },
      failed: (detail, isFinal = false) => {
        if (isOver) return;
        isOver = true;
        this.onFailed(detail, isFinal);
      },
    });
    // The stream may have failed already.
    if (isOver) return;
    this.stream = {
      write: (samples) => stream.write(samples),
      flush: () => stream.flush(),
      keepAlive: () => stream.keepAlive?.(),
      close: () => {
        isOver = true;
        stream.close();
      },
    };
    let isFlushed = false;
    for (const { samples, endsSegment } of this.written.restart()) {
      this.send(samples);
      if (endsSegment) this.stream?.flush();
      isFlushed ||= endsSegment;
    }
    if (!this.isFlushing) return;
    if (!isFlushed) this.stream?.flush();
    this.awaitAnswer();
  }

  /** A recognizer that accepts everything and says nothing is as good as none. */
  private awaitAnswer(): void {
    const { recognizers, clock } = this.parts;
    const stt = recognizers[this.recognizer];
    this.stopListening?.();
    if (stt === undefined || this.stream === null || this.hasAnswered) return;
    const silenceMs = stt.waitMs + silentMs;
    this.stopListening = clock.after(silenceMs, () => {
      if (this.hasAnswered || this.stream === null) return;
      this.closeStream();
      // The time that it was open does not count as work; and if there is another one, it has had its time.
      this.openedAt = clock.now();
      this.onFailed(`no answer of ${stt.name} within ${silenceMs / 1000} s`, this.recognizer + 1 < recognizers.length);
    });
  }

  private onFinal(text: string, words: readonly TurnWord[], endMs?: number): void {
    this.isFlushing = false;
    const end = endMs ?? words.at(-1)?.endMs;
    const segment = end === undefined ? {} : { segment: this.written.segmentUntil(end) };
    for (const word of words) {
      const [startMs, endMs] = [this.written.timeOf(word.startMs), this.written.timeOf(word.endMs)];
      this.words.push({ ...word, startMs, endMs });
    }
    this.written.settle(end ?? null);
    this.parts.dispatch({ type: 'stt.final', text, ...segment });
  }

  private onFailed(detail: string, isFinal: boolean) {
    if (this.isClosed) return;
    this.failure = detail;
    this.stream = null;
    const { clock } = this.parts;
    const now = clock.now();
    if (now - this.openedAt >= recoveredMs) {
      this.reconnects = 0;
      this.failingSince = null;
    }
    this.failingSince ??= now;
    const delayMs = now - this.failingSince >= recoveredMs ? undefined : reconnectDelaysMs[this.reconnects];
    if (isFinal || delayMs === undefined) return this.replace();
    this.reconnects += 1;
    this.stopWaiting = clock.after(delayMs, () => this.open());
  }

  private replace() {
    const { recognizers, dispatch, onSwitched } = this.parts;
    const failed = recognizers[this.recognizer];
    const next = recognizers[this.recognizer + 1];
    if (failed === undefined || next === undefined) return dispatch({ type: 'stt.failed' });
    this.recognizer += 1;
    this.reconnects = 0;
    this.failingSince = null;
    onSwitched(failed.name, next.name);
    this.open();
  }

  private closeStream(): void {
    this.stream?.close();
    this.stream = null;
  }
}
