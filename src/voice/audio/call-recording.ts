import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { level } from './level.ts';
import { bytesOf } from './pcm.ts';
import { wavHeader, wavHeaderBytes } from './wav.ts';

/** Where a recording is written. One call at a time: the next follows when the last is done. */
export interface RecordingFile {
  write(position: number, bytes: Uint8Array): Promise<void>;
  /** Fewer bytes only at the end of the file. `into`: a buffer that is long enough, instead of a new one. */
  read(position: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface RecordingResult {
  readonly durationMs: number;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export const recordingRate = 16_000;
const channels = 2;
const frameBytes = channels * 2;
const maxFrames = 2 * 3600 * recordingRate;
/** What the caller heard is reported every 100 ms, and later on a slow network. */
const reportFrames = 0.3 * recordingRate;
const flushFrames = 0.5 * recordingRate;
/** Reports that are a little early or late belong to one stretch of speech. */
const jitterFrames = 0.2 * recordingRate;
/** A network that stalled delivers up to 8 s at once; after more than that the caller sent nothing. */
const maxLagFrames = 8.5 * recordingRate;
/** A microphone that seems to be ahead of the clock by more than this was heard late at first. */
const maxAheadFrames = 0.1 * recordingRate;
/** −50 dB. */
const silentLevel = 0.003;
/** A disk that is this far behind has failed. */
const maxPendingFrames = 30 * recordingRate;
const readBytes = 65_536;

/**
 * Both sides of a call as a stereo WAV file of 16 kHz: the caller left, the agent as it was played right. It is written
 * while the call goes on, so that a crash loses less than a second.
 *
 * The caller's microphone is its clock: it runs without a break, and what was played is reported over the same
 * connection, in order, so both sides stay aligned when the network stalls. While no audio comes, the clock of the call
 * counts.
 */
export class CallRecording {
  private readonly clock: Clock;
  private readonly file: RecordingFile;
  private readonly startedAt: number;
  private readonly onFailed: (error: unknown) => void;
  /** Interleaved frames that are not written yet, from frame `written` on. */
  private pending = new Int16Array(2 * recordingRate);
  /** For the next frames while `pending` is written. Half a second of each call, again and again, would burden the garbage collector. */
  private spare: Int16Array<ArrayBuffer> | null = new Int16Array(2 * recordingRate);
  private written: number;
  private callerEnd: number;
  private agentEnd: number;
  private isHearing = false;
  /** The file holds silence. */
  isPaused = false;
  private isWriting = false;
  private isFailed = false;
  private hasLostLease = false;
  private writes: Promise<void>;

  /**
   * `elapsedMs`: how long ago the call was connected. A file with what was recorded since then is continued.
   * `onFailed`: called once, if the file cannot be written.
   */
  constructor(clock: Clock, file: RecordingFile, elapsedMs = 0, onFailed: (error: unknown) => void = () => {}) {
    this.clock = clock;
    this.file = file;
    this.onFailed = onFailed;
    this.startedAt = clock.now() - elapsedMs;
    this.written = Math.min(maxFrames, Math.round((elapsedMs * recordingRate) / 1000));
    this.callerEnd = this.written;
    this.agentEnd = this.written;
    this.writes = this.write(0, wavHeader(recordingRate, channels, null));
  }

  /** What the caller said, at 16 kHz. */
  caller(samples: Int16Array): void {
    if (!this.canTake(samples.length)) return;
    this.catchUp(samples.length);
    this.isHearing = true;
    // The clock placed the first sound too late if others waited behind it: the recording leaves out silence until then.
    const isAhead = this.callerEnd + samples.length - this.position() > maxAheadFrames;
    if (isAhead && level(samples) < silentLevel) return;
    this.put(samples, this.callerEnd, 0);
    this.callerEnd += samples.length;
    this.flushIfDue();
  }

  /** What the agent's side has just played, at 16 kHz. */
  agent(samples: Int16Array): void {
    if (!this.canTake(samples.length)) return;
    this.catchUp(0);
    const start = this.callerEnd - samples.length;
    const isContinued = Math.abs(start - this.agentEnd) < jitterFrames;
    // A report that comes late finds its place written already.
    const from = Math.max(isContinued ? this.agentEnd : start, this.agentEnd, this.written);
    this.put(samples, from, 1);
    this.agentEnd = from + samples.length;
    this.flushIfDue();
  }

  /** The caller's audio will not continue where it stopped: the connection is gone. */
  interrupt(): void {
    this.isHearing = false;
  }

  /** Everything so far is in the file. Its header is written by `completeRecording`, which can also be done later. */
  async close(): Promise<void> {
    this.isHearing = false;
    this.catchUp(0);
    await this.writes;
    this.flush(Math.min(maxFrames, Math.max(this.callerEnd, this.agentEnd)));
    await this.writes;
    await this.file.close().catch(() => {});
  }

  /** Another process writes the file: nothing more of this one goes into it. */
  async leaseLost(): Promise<void> {
    this.hasLostLease = true;
    await this.writes;
    await this.file.close().catch(() => {});
  }

  /** The file could not be written, or not fast enough. Nothing more is written. */
  get hasFailed(): boolean {
    return this.isFailed;
  }

  private get isOver(): boolean {
    return this.isFailed || this.hasLostLease;
  }

  private canTake(frames: number): boolean {
    return !this.isOver && Math.max(this.callerEnd, this.agentEnd) + frames <= maxFrames;
  }

  /** Where the clock is. */
  private position(): number {
    return Math.round(((this.clock.now() - this.startedAt) * recordingRate) / 1000);
  }

  private catchUp(frames: number): void {
    const position = this.position() - frames;
    if (this.isHearing && position - this.callerEnd <= maxLagFrames) return;
    this.isHearing = false;
    const end = Math.max(this.callerEnd, Math.min(position, maxFrames - frames));
    if (end - this.callerEnd > flushFrames) this.skipTo(end - reportFrames);
    this.callerEnd = end;
  }

  /** Silence is a hole in the file, which reads as zeros. */
  private skipTo(frame: number): void {
    this.flush(Math.max(this.callerEnd, this.agentEnd));
    this.written = Math.max(this.written, frame);
  }

  private put(samples: Int16Array, from: number, channel: 0 | 1): void {
    const start = (from - this.written) * channels;
    this.grow(start + samples.length * channels);
    if (this.isPaused) return;
    const { pending } = this;
    for (let index = 0; index < samples.length; index += 1) {
      pending[start + index * channels + channel] = samples[index] as number;
    }
  }

  private grow(length: number): void {
    if (length <= this.pending.length) return;
    const larger = new Int16Array(Math.max(length, 2 * this.pending.length));
    larger.set(this.pending);
    this.pending = larger;
  }

  private flushIfDue(): void {
    const until = this.callerEnd - reportFrames;
    if (until - this.written < flushFrames) return;
    if (!this.isWriting) this.flush(until);
    else if (until - this.written > maxPendingFrames) this.fail(new Error('the disk is 30 seconds behind'));
  }

  private flush(until: number): void {
    const frames = until - this.written;
    if (frames <= 0 || this.isOver) return;
    const length = frames * channels;
    this.grow(length);
    const { pending } = this;
    this.pending = this.takeSpare(pending.length);
    this.pending.set(pending.subarray(length));
    const position = wavHeaderBytes + this.written * frameBytes;
    this.written = until;
    this.writes = this.write(position, bytesOf(pending.subarray(0, length))).then(() => {
      this.spare = pending.fill(0);
    });
  }

  private takeSpare(length: number): Int16Array<ArrayBuffer> {
    const { spare } = this;
    this.spare = null;
    return spare !== null && spare.length >= length ? spare : new Int16Array(length);
  }

  private async write(position: number, bytes: Uint8Array): Promise<void> {
    const before = this.writes;
    this.isWriting = true;
    try {
      await before;
      if (!this.isOver) await this.file.write(position, bytes);
    } catch (error) {
      this.fail(error);
    } finally {
      this.isWriting = false;
    }
  }

  private fail(error: unknown): void {
    if (this.isFailed) return;
    this.isFailed = true;
    this.onFailed(error);
  }
}

/** Writes the header of a recording of this size: at its end, and after a crash. The caller cuts off what is beyond `sizeBytes`. */
export async function completeRecording(file: RecordingFile, fileBytes: number): Promise<RecordingResult> {
  const frames = Math.max(0, Math.floor((fileBytes - wavHeaderBytes) / frameBytes));
  const sizeBytes = wavHeaderBytes + frames * frameBytes;
  await file.write(0, wavHeader(recordingRate, channels, frames * frameBytes));
  const hash = createHash('sha256');
  // One for all of the file: many would be memory that is not used any more.
  const buffer = new Uint8Array(readBytes);
  for (let position = 0; position < sizeBytes; ) {
    const bytes = await file.read(position, Math.min(readBytes, sizeBytes - position), buffer);
    if (bytes.length === 0) throw new Error('the recording is shorter than what was written');
    hash.update(bytes);
    position += bytes.length;
  }
  return { durationMs: Math.round((frames * 1000) / recordingRate), sizeBytes, sha256: hash.digest('hex') };
}
