import { after } from 'node:test';

const graceMs = 30_000;

/** A test that fails may leave a service open, which would keep its process, and those that wait for it, forever. */
export function exitAfterTests(): void {
  after(() => {
    const exit = (): void => {
      console.error(
        `still open ${graceMs / 1000} s after the last test: ${process.getActiveResourcesInfo().join(', ')}`,
      );
      process.exit(1);
    };
    setTimeout(exit, graceMs).unref();
  });
}
