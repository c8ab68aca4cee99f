/** The least processor time of some runs, in milliseconds: others use the machine, too. */
export function leastProcessorMs(times: number, run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < times; count += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
