/** How often a terminal is told. */
const everyMs = 100;

export interface Progress {
  show(done: number, total: number): void;
  /** Takes the line away, as if it had never been there. */
  end(): void;
}

/** A line that shows how far something is, where a person watches. */
export function createProgress(label: string, stream: NodeJS.WriteStream): Progress {
  let shownMs = Number.NEGATIVE_INFINITY;
  return {
    show: (done, total) => {
      const now = performance.now();
      if (!stream.isTTY || now - shownMs < everyMs) return;
      shownMs = now;
      const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
      stream.write(`\r\x1b[K  ${label}  ${String(percent).padStart(3)} %`);
    },
    end: () => {
      if (shownMs > 0) stream.write('\r\x1b[K');
      shownMs = Number.NEGATIVE_INFINITY;
    },
  };
}
