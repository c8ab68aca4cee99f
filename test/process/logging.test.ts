import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { createLogger, LogStream, maxPendingBytes } from '../../src/process/logging.ts';
import { createPipe, type Pipe } from '../support/pipe.ts';

const loggingModule = new URL('../../src/process/logging.ts', import.meta.url).href;

/** A module that has `logger`, and ends with the statements. */
function moduleWith(statements: string): string {
  return `import { createLogger, openLogStream } from '${loggingModule}';
    const logger = createLogger('info', openLogStream());
    ${statements}`;
}

function run(statements: string, stdout: number | 'pipe') {
  const stdio = ['ignore', stdout, 'pipe'] as const;
  const args = ['--input-type=module', '-e', moduleWith(statements)];
  return spawnSync(process.execPath, args, { encoding: 'utf8', stdio: [...stdio], timeout: 10_000 });
}

describe('the log', () => {
  let pipe: Pipe;
  beforeEach(() => {
    pipe = createPipe();
  });
  afterEach(() => pipe.close());

  it('keeps a bounded number of bytes while nobody reads, and says afterwards how many lines were dropped', async () => {
    const stream = new LogStream(pipe.descriptor);
    createLogger('info', stream);
    const total = 50_000;
    for (let number = 0; number < total; number += 1)
      stream.write(`{"number":${number},"text":"${'x'.repeat(180)}"}\n`);
    assert.ok(stream.droppedLines > 0);

    let text = '';
    while (!text.slice(-100).includes('"dropped"')) {
      await nextIteration();
      text += pipe.read();
    }
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { level, dropped, msg } = lines.pop();
    assert.deepEqual(
      { level, dropped, msg },
      { level: 'warn', dropped: stream.droppedLines, msg: 'log lines dropped: standard output was blocked' },
    );
    assert.equal(lines.length + dropped, total);
    for (const [index, { number }] of lines.entries()) assert.equal(number, index);
    assert.ok(text.length < maxPendingBytes + 128 * 1024, 'the bound, and what the pipe holds');
  });

  it('has a line at the latest after a tenth of a second', async () => {
    const stream = new LogStream(pipe.descriptor);
    const start = performance.now();
    stream.write('a line\n');
    let text = '';
    while (text === '') {
      await nextIteration();
      text = pipe.read();
    }
    assert.equal(text, 'a line\n');
    assert.ok(performance.now() - start < 1000);
  });

  it('has the last lines before an uncaught exception and before an exit', () => {
    const thrown = run(`logger.info('last'); throw new Error('over');`, 'pipe');
    assert.equal(thrown.status, 1);
    assert.equal(JSON.parse(thrown.stdout).msg, 'last');
    const exited = run(`logger.info('last'); process.exit(3);`, 'pipe');
    assert.equal(exited.status, 3);
    assert.equal(JSON.parse(exited.stdout).msg, 'last');
  });

  it('does not hold up an exit when nobody reads', () => {
    pipe.fill();
    const { status } = run(`logger.info('x'.repeat(100_000)); logger.fatal('last'); process.exit(3);`, pipe.descriptor);
    assert.equal(status, 3);
  });

  it('does not hold up an exit when standard output is closed', () => {
    const program = `{ '${process.execPath}' --input-type=module -e "$1"; echo "status $?" >&2; } | true`;
    const args = ['-c', program, 'sh', moduleWith(`logger.info('x'); logger.fatal('last'); process.exit(3);`)];
    const { stderr } = spawnSync('sh', args, { encoding: 'utf8', timeout: 10_000 });
    assert.match(stderr, /^Standard output is closed\..*\nstatus 3\n$/);
  });
});
