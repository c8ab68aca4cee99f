import { createRequire } from 'node:module';

interface AsyncHooks {
  /** Those that are enabled, and those that will be. */
  getHookArrays(): readonly [readonly { disable(): void }[], unknown];
}

/**
 * The test runner remembers for every promise in which test it was made, to name the test if the promise is rejected and
 * nobody handles that. This takes a sixth of the processor time of all tests. Without it, such an error still fails the
 * run, and is printed with its stack; only files that are named on the command line also name the test. Suites find those
 * around them in the same way, so call it when all are declared. Node has no option for it: it needs
 * `--expose-internals`.
 */
export function stopTrackingPromises(): void {
  const { getHookArrays } = createRequire(import.meta.url)('internal/async_hooks') as AsyncHooks;
  for (const hook of [...getHookArrays()[0]]) hook.disable();
  // The runner reports these errors without their stack.
  process.on('uncaughtExceptionMonitor', (error) => console.error(error));
  process.on('unhandledRejection', (error) => console.error(error));
}
