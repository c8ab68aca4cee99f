import { constants, fstatSync, openSync } from 'node:fs';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../config.ts';

const maxDelayMs = 100;
const retryMs = 10;
const batchCharacters = 16 * 1024;
/** What waits for a reader that is slow or has stopped reading. */
export const maxPendingBytes = 4 * 1024 * 1024;

/**
 * Log lines on their way to standard output. They are written in batches, at the latest after a tenth of a second: one
 * write per line would cost more than the line. Nothing here waits for the reader: lines beyond the bound are dropped
 * and counted.
 */
export class LogStream implements DestinationStream {
  /** Lines that were dropped since the start. */
  droppedLines = 0;
  /** Called when everything that was pending is written and lines were dropped before. */
  onResumed: (droppedLines: number) => void = () => {};
  /** Called when nobody can read standard output any more. */
  onClosed: () => void = () => {};
  readonly #output: ReturnType<typeof destination>;
  #batch = '';
  #linesInBatch = 0;
  #timer: NodeJS.Timeout | undefined;
  #reportedLines = 0;
  /** Something is pending that could not be written. */
  #isBlocked = false;
  #isClosed = false;

  constructor(fd: number) {
    // Synchronous on a descriptor that does not block, so that nothing is in flight when the process exits. pino's own
    // flush at exit, for asynchronous destinations, waits for the reader, and never returns once the pipe is closed.
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

  /** Writes what can be written at once. pino calls it after a fatal line. */
  flushSync(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isClosed) return;
    this.#isBlocked = false;
    // An empty batch, too: it makes the destination try again what is pending.
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

  /** The destination keeps what it could not write and tries again with the next batch: a full disk may have room again. */
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
  // Also after an uncaught exception: the last lines tell why.
  process.on('exit', () => stream.flushSync());
  return stream;
}

/**
 * Pipes and terminals are opened once more, without blocking: the mode of descriptor 1 is shared with other processes,
 * and every worker that is started makes it blocking for a moment.
 */
function openStandardOutput(): number {
  const status = fstatSync(1);
  if (!status.isFIFO() && !status.isCharacterDevice()) return 1;
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Not on Linux, or the pipe belongs to another user. Node.js itself has made descriptor 1 non-blocking.
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
