import type { ChildProcess } from 'node:child_process';
import { after } from 'node:test';

const running = new Set<ChildProcess>();

/** Sees to it that a started process is gone when the tests of this file are over, whatever became of the one that started it. */
export function endWithTests<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

process.once('exit', endAll);
// The pipes to a child keep this process alive: one that a failed test has left behind would hold up the whole run.
// Campaigns start the same children outside of tests, and have no such end.
if (process.env.NODE_TEST_CONTEXT !== undefined) after(endAll);
