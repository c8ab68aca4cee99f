import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './install.js';

/** As many as the smallest machine has cores. */
const loops = 2;
/** Ends by itself if its parent was killed. */
const loop = 'const parent = process.ppid; while (process.ppid === parent);';

/**
 * Runs the tests of speech and then all tests many times beside busy loops, up to the first failure, whose output it
 * shows. Resolves to the exit code.
 */
export async function runStress(speechRuns = '30', allRuns = '3') {
  const rounds = [
    ...Array(Number(speechRuns)).fill({ name: 'the tests of speech', args: ['--speech'] }),
    ...Array(Number(allRuns)).fill({ name: 'npm test', args: [] }),
  ];
  const busy = Array.from({ length: loops }, () => spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }));
  const stopLoops = () => busy.forEach((child) => void child.kill('SIGKILL'));
  process.on('exit', stopLoops);
  let passed = 0;
  for (const [index, { name, args }] of rounds.entries()) {
    const start = performance.now();
    const { isPassed, output } = await runTests(args);
    const seconds = Math.round((performance.now() - start) / 1000);
    process.stdout.write(
      `${index + 1} of ${rounds.length}: ${name} ${isPassed ? 'passed' : 'FAILED'} in ${seconds} s\n`,
    );
    if (!isPassed) process.stdout.write(output);
    if (!isPassed) break;
    passed += 1;
  }
  stopLoops();
  const failed = passed < rounds.length ? 1 : 0;
  const notRun = rounds.length - passed - failed;
  process.stdout.write(`Beside ${loops} busy loops: ${passed} passed, ${failed} failed, ${notRun} not run\n`);
  return failed;
}

function runTests(args) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const child = spawn(process.execPath, [join(root, 'scripts', 'test.js'), ...args]);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    const stop = (signal) => child.kill(signal);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop);
    child.on('error', reject);
    child.on('close', (code) => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.off(signal, stop);
      resolve({ isPassed: code === 0, output: Buffer.concat(chunks).toString() });
    });
  });
}
