/**
 * The least processor time of some runs, in milliseconds: others use the machine, too. A run that takes less than
 * `enough` is the last.
 */
export function leastProcessorMs(times: number, run: () => unknown, enough = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < times && least >= enough; count += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
