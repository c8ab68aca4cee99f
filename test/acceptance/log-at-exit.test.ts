import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createPipe, type Pipe } from '../support/pipe.ts';

const loggingModule = new URL('../../src/process/logging.ts', import.meta.url).href;

/** A module that has a `logger` and ends with the given statements. */
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

describe('the log of an exiting process', () => {
  let pipe: Pipe;
  beforeEach(() => {
    pipe = createPipe();
  });
  afterEach(() => pipe.close());

  it('has the last lines before an uncaught exception and before an exit', () => {
    const thrown = run(`logger.info('last'); throw new Error('over');`, 'pipe');
    assert.equal(thrown.status, 1);
    assert.equal(JSON.parse(thrown.stdout).msg, 'last');
    const exited = run(`logger.info('last'); process.exit(3);`, 'pipe');
    assert.equal(exited.status, 3);
    assert.equal(JSON.parse(exited.stdout).msg, 'last');
  });

  it('does not block the exit if nobody reads', () => {
    pipe.fill();
    const { status } = run(`logger.info('x'.repeat(100_000)); logger.fatal('last'); process.exit(3);`, pipe.descriptor);
    assert.equal(status, 3);
  });

  it('does not block the exit if standard output is closed', () => {
    const program = `{ '${process.execPath}' --input-type=module -e "$1"; echo "status $?" >&2; } | true`;
    const args = ['-c', program, 'sh', moduleWith(`logger.info('x'); logger.fatal('last'); process.exit(3);`)];
    const { stderr } = spawnSync('sh', args, { encoding: 'utf8', timeout: 10_000 });
    assert.match(stderr, /^Standard output is closed\..*\nstatus 3\n$/);
  });
});
