import { constants, fstatSync, openSync } from 'node:fs';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../config.ts';

const maxDelayMs = 100;
const retryMs = 10;
const batchCharacters = 16 * 1024;
/** The maximum buffered for a slow or blocked reader. */
export const maxPendingBytes = 4 * 1024 * 1024;

/**
 * Buffered log output to standard output. Lines are written in batches, at most a tenth of a second later: one write
 * per line would cost more than the line. Nothing waits for the reader; lines beyond the limit are dropped and counted.
 */
export class LogStream implements DestinationStream {
  /** Lines dropped since the start. */
  droppedLines = 0;
  /** Called when all pending output has been written after lines were dropped. */
  onResumed: (droppedLines: number) => void = () => {};
  /** Called when standard output is closed. */
  onClosed: () => void = () => {};
  readonly #output: ReturnType<typeof destination>;
  #batch = '';
  #linesInBatch = 0;
  #timer: NodeJS.Timeout | undefined;
  #reportedLines = 0;
  /** Pending output could not be written. */
  #isBlocked = false;
  #isClosed = false;

  constructor(fd: number) {
    // Synchronous writes to a non-blocking descriptor, so that nothing is in flight when the process exits. pino's own
    // flush at exit for asynchronous destinations waits for the reader, and never returns if the pipe is closed.
    this.#output = destination({ fd, sync: true, maxLength: maxPendingBytes, retryEAGAIN: () => false });
    this.#output.on('drop', () => {
      this.droppedLines += this.#linesInBatch;
      this.#retry();
    });
    this.#output.on('error', (error: NodeJS.ErrnoException) => this.#onError(error));
  }

  write(line: string): void {
    if (this.#isClosed) {
      this.droppedLines += 1;
      return;
    }
    this.#batch += line;
    this.#linesInBatch += 1;
    if (this.#batch.length >= batchCharacters) this.flushSync();
    else this.#schedule(maxDelayMs);
  }

  /** Writes what can be written immediately. pino calls it after a fatal line. */
  flushSync(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isClosed) return;
    this.#isBlocked = false;
    // Even an empty batch is written: it makes the destination retry pending output.
    this.#output.write(this.#batch);
    this.#batch = '';
    this.#linesInBatch = 0;
    if (!this.#isBlocked) this.#reportDropped();
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.flushSync(), delayMs).unref();
  }

  #retry(): void {
    this.#isBlocked = true;
    this.#schedule(retryMs);
  }

  #reportDropped(): void {
    const lines = this.droppedLines - this.#reportedLines;
    this.#reportedLines = this.droppedLines;
    if (lines > 0) this.onResumed(lines);
  }

  /**
   * The destination keeps what it could not write and retries with the next batch, because a full disk may have space
   * again.
   */
  #onError({ code }: NodeJS.ErrnoException): void {
    if (code !== 'EPIPE') {
      this.#retry();
    } else if (!this.#isClosed) {
      this.#isClosed = true;
      this.#isBlocked = true;
      this.droppedLines += this.#linesInBatch;
      this.onClosed();
    }
  }
}

/** The log stream of the process. */
export function openLogStream(): LogStream {
  const stream = new LogStream(openStandardOutput());
  // Runs after an uncaught exception as well: the last lines explain it.
  process.on('exit', () => stream.flushSync());
  return stream;
}

/**
 * Reopens pipes and terminals in non-blocking mode: the mode of descriptor 1 is shared with other processes, and every
 * worker that starts makes it blocking for a moment.
 */
function openStandardOutput(): number {
  const status = fstatSync(1);
  if (!status.isFIFO() && !status.isCharacterDevice()) return 1;
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // This is not Linux, or the pipe belongs to another user. Node has already made descriptor 1 non-blocking.
    return 1;
  }
}

export function createLogger(level: LogLevel, stream: LogStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const logger = pino(options, stream);
  stream.onResumed = (dropped) => logger.warn({ dropped }, 'log lines dropped: standard output was blocked');
  stream.onClosed = () => process.stderr.write('Standard output is closed. The service keeps running without a log.\n');
  return logger;
}
