import { cleanUpOnExit } from './exit-cleanup.ts';

/** The update interval. */
const everyMs = 100;
const barCells = 24;

export interface Progress {
  /** `total` is null if unknown. */
  show(done: number, total: number | null): void;
  /** Clears the progress line. */
  end(): void;
}

/** A progress bar on a terminal; nothing otherwise. */
export function createProgress(label: string, stream: NodeJS.WriteStream): Progress {
  let shownMs = Number.NEGATIVE_INFINITY;
  return {
    show: (done, total) => {
      const now = performance.now();
      if (!stream.isTTY || now - shownMs < everyMs) return;
      shownMs = now;
      stream.write(`\r\x1b[K  ${label}  ${total === null ? done.toLocaleString('en') : bar(done, total)}`);
    },
    end: () => {
      if (shownMs > 0) stream.write('\r\x1b[K');
      shownMs = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Runs the work and clears the progress line however it ends. */
export async function watched<T>(progress: Progress, work: () => Promise<T>): Promise<T> {
  const forget = cleanUpOnExit(() => progress.end());
  try {
    return await work();
  } finally {
    progress.end();
    forget();
  }
}

function bar(done: number, total: number): string {
  const part = total === 0 ? 0 : Math.min(1, done / total);
  const full = Math.floor(part * barCells);
  const percent = String(Math.floor(100 * part)).padStart(3);
  return `${'█'.repeat(full)}${'░'.repeat(barCells - full)} ${percent} %`;
}
