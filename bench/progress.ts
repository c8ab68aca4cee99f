/** A progress line that is overwritten on a terminal; otherwise one line at the end. */
export function showProgress(title: string, total: number) {
  const start = performance.now();
  const { stderr } = process;
  const seconds = () => ((performance.now() - start) / 1000).toFixed(0);
  let shownMs = 0;
  return {
    advanceTo: (done: number): void => {
      if (!stderr.isTTY || performance.now() - shownMs < 200) return;
      shownMs = performance.now();
      stderr.write(`\r\x1b[K  ${title}: ${Math.floor((100 * done) / total)} %, ${seconds()} s`);
    },
    end: (): void => {
      stderr.write(`${stderr.isTTY ? '\r\x1b[K' : ''}  ${title}: done in ${seconds()} s\n`);
    },
  };
}
