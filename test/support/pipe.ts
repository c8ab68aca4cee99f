import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An operating system pipe: what Node.js calls a pipe to a child process is a socket. */
export interface Pipe {
  /** Both of its ends. */
  readonly descriptor: number;
  /** Everything it currently contains. */
  read(): string;
  /** Writes until it is full. */
  fill(): void;
  close(): void;
}

export function createPipe(): Pipe {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-pipe-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const descriptor = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  // A child process that inherits a descriptor makes it blocking, for this process as well, so this one is separate.
  const own = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  rmSync(folder, { recursive: true });
  const buffer = Buffer.alloc(65_536);
  return {
    descriptor,
    read: () => {
      let text = '';
      untilBlocked(() => {
        text += buffer.toString('latin1', 0, readSync(own, buffer));
      });
      return text;
    },
    fill: () => {
      untilBlocked(() => writeSync(own, '\n'.repeat(4096)));
      untilBlocked(() => writeSync(own, '\n'));
    },
    close: () => {
      closeSync(descriptor);
      closeSync(own);
    },
  };
}

function untilBlocked(step: () => void): void {
  try {
    for (;;) step();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  }
}
