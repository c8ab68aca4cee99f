/** How often a terminal is told. */
const everyMs = 100;
const barCells = 24;

export interface Progress {
  show(done: number, total: number): void;
  /** Takes the line away, as if it had never been there. */
  end(): void;
}

/** A bar that shows how far something is, where a person watches; nothing in a pipe. */
export function createProgress(label: string, stream: NodeJS.WriteStream): Progress {
  let shownMs = Number.NEGATIVE_INFINITY;
  return {
    show: (done, total) => {
      const now = performance.now();
      if (!stream.isTTY || now - shownMs < everyMs) return;
      shownMs = now;
      const share = total === 0 ? 0 : Math.min(1, done / total);
      const full = Math.floor(share * barCells);
      const bar = `${'█'.repeat(full)}${'░'.repeat(barCells - full)}`;
      stream.write(`\r\x1b[K  ${label}  ${bar}  ${String(Math.floor(100 * share)).padStart(3)} %`);
    },
    end: () => {
      if (shownMs > 0) stream.write('\r\x1b[K');
      shownMs = Number.NEGATIVE_INFINITY;
    },
  };
}
