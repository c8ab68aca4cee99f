import type { ChildProcess } from 'node:child_process';
import { after } from 'node:test';

const running = new Set<ChildProcess>();

/**
 * Ensures that a child process is gone when the tests of this file are over, even if the test that started it failed.
 */
export function endWithTests<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

process.once('exit', endAll);
// The pipes to a child keep this process alive: one left behind by a failed test would block the whole run.
// Campaigns start the same children outside of tests, and handle this themselves.
if (process.env.NODE_TEST_CONTEXT !== undefined) after(endAll);
