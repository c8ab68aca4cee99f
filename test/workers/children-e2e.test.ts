import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { AppError } from '../../src/core/errors.ts';
import { endWithTests } from '../support/children.ts';
import { hostilePool, isGone, resultOf } from './support/hostile-pool.ts';
import type { HostileJob } from './support/hostile-worker.ts';

type Way = HostileJob['do'];
type TestPool = ReturnType<typeof hostilePool>;

const folder = mkdtempSync(join(tmpdir(), 'voice-agents-children-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

function newFile(): string {
  files += 1;
  return join(folder, String(files));
}

async function fileExists(file: string): Promise<void> {
  while (!existsSync(file)) await delay(5);
}

/** The id of the process that performs the next job of the workspace. On a busy machine, even this takes long. */
async function pidOf(pool: TestPool, workspace = 'one'): Promise<number> {
  for (;;) {
    const result = resultOf(await pool.perform(workspace, { do: 'pid' }));
    if (result !== 'time') return result as number;
  }
}

/** `memory`, `time`, or the message of the error. */
async function outcomeOf(pool: TestPool, way: Way): Promise<unknown> {
  return pool.perform('one', { do: way }).then(resultOf, ({ message }: Error) => message);
}

describe('a job in a child', () => {
  const pool = hostilePool();
  after(() => pool.close());

  const harms: readonly (readonly [Way, 'memory' | RegExp])[] = [
    ['one large string', 'memory'],
    ['a string that is filled', 'memory'],
    ['a string beyond the largest', 'memory'],
    ['many strings', 'memory'],
    ['many objects', 'memory'],
    ['one large array', 'memory'],
    ['the matches of an expression', 'memory'],
    ['array buffers', 'memory'],
    ['buffers', 'memory'],
    ['one large buffer', 'memory'],
    ['process.abort', 'memory'],
    ['process.exit', /has ended itself/],
    ['an exception', /this job fails/],
    ['endless recursion', /Maximum call stack/],
    ['a flood of frames', /out of turn/],
    ['a result that is too large', /at most 1048576/],
    ['a length of four gigabytes', /at most 1048576/],
    ['an unknown frame', /not known/],
  ];
  for (const [way, expected] of harms) {
    it(`harms only itself with ${way}`, async () => {
      const [file, until] = [newFile(), newFile()];
      const other = pool.perform('other', { do: 'pid', file, until });
      await fileExists(file);
      const own = await pidOf(pool);
      const outcome = await outcomeOf(pool, way).finally(() => writeFileSync(until, ''));
      if (expected === 'memory') assert.equal(outcome, 'memory');
      else assert.match(String(outcome), expected);
      await isGone(own);
      assert.notEqual(await pidOf(pool), own);
      assert.equal(typeof resultOf(await other), 'number', 'the job of another workspace is not affected');
    });
  }

  it('is replaced after results that nobody asked for, and after an exception between two jobs', async () => {
    for (const way of ['a flood of results', 'an exception later'] as const) {
      const own = await pidOf(pool);
      await pool.perform('one', { do: way }).catch(() => {});
      await isGone(own);
      assert.notEqual(await pidOf(pool), own);
    }
  });

  it('does not wait for the many jobs of another workspace', async () => {
    const [file, until] = [newFile(), newFile()];
    const many = [file, newFile(), newFile(), newFile()].map((each) =>
      pool.perform('one', { do: 'pid', file: each, until }),
    );
    await fileExists(file);
    for (let job = 0; job < 3; job += 1) await pidOf(pool, 'other');
    writeFileSync(until, '');
    await Promise.all(many);
  });

  it('is given a new process after one that has kept much memory', async () => {
    const own = await pidOf(pool);
    assert.equal(await outcomeOf(pool, 'memory that stays'), 1);
    assert.notEqual(await pidOf(pool), own);
    await isGone(own);
  });
});

describe('a job that takes too long', () => {
  const pool = hostilePool({ maxMs: 200 });
  after(() => pool.close());

  for (const way of [
    'an endless loop',
    'an endless expression',
    'a closed channel',
    'a flood of error output',
  ] as const) {
    it(`ends with its process: ${way}`, async () => {
      const own = await pidOf(pool);
      assert.equal(await outcomeOf(pool, way), 'time');
      await isGone(own);
      await pidOf(pool);
    });
  }

  it('ends with a process that was stopped, and a stopped process gets no more jobs', async () => {
    const own = await pidOf(pool);
    const file = newFile();
    const stopped = pool.perform('one', { do: 'an endless loop', file });
    await fileExists(file);
    process.kill(own, 'SIGSTOP');
    assert.equal(await stopped, 'time');
    await isGone(own);
    const next = await pidOf(pool);
    process.kill(next, 'SIGSTOP');
    assert.notEqual(await pidOf(pool), next);
    await isGone(next);
  });
});

describe('the process of jobs', () => {
  it('can be killed while it works and while it does not', async (context) => {
    const pool = hostilePool();
    context.after(() => pool.close());
    const own = await pidOf(pool);
    const file = newFile();
    const running = pool.perform('one', { do: 'an endless loop', file });
    await fileExists(file);
    process.kill(own, 'SIGKILL');
    assert.equal(await running, 'memory', 'nothing else kills it');
    const next = await pidOf(pool);
    process.kill(next, 'SIGKILL');
    // At once: it may be given to the dead process, before the service knows.
    assert.notEqual(await pidOf(pool), next);
  });

  it('finishes its job after a signal that ends the service', async (context) => {
    const pool = hostilePool();
    context.after(() => pool.close());
    const own = await pidOf(pool);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(own, signal);
    assert.equal(await pidOf(pool), own);
  });

  it('takes the processor time that the service leaves', async (context) => {
    const pool = hostilePool();
    context.after(() => pool.close());
    assert.equal(getPriority(await pidOf(pool)), Math.max(5, getPriority()));
  });

  it('starts with the first job, is reused, and ends when it has had none for a while', async (context) => {
    const pool = hostilePool({ idleMs: 200 });
    context.after(() => pool.close());
    const own = await pidOf(pool);
    assert.equal(await pidOf(pool), own);
    await isGone(own);
    assert.notEqual(await pidOf(pool), own);
  });

  it('ends with the pool, also in the middle of a job', async () => {
    const pool = hostilePool();
    const own = await pidOf(pool);
    const file = newFile();
    const running = pool.perform('one', { do: 'an endless loop', file });
    const ended = assert.rejects(running, { code: 'SERVICE_UNAVAILABLE' });
    await fileExists(file);
    await pool.close();
    await Promise.all([ended, isGone(own)]);
    await assert.rejects(pool.perform('one', { do: 'pid' }), { code: 'SERVICE_UNAVAILABLE' });
  });

  it('ends with a job that is aborted, and a job that waits leaves the queue', async (context) => {
    const pool = hostilePool({ runners: 1 });
    context.after(() => pool.close());
    const own = await pidOf(pool);
    const file = newFile();
    const stop = new AbortController();
    const jobs = [file, newFile()].map((each) =>
      pool.perform('one', { do: 'an endless loop', file: each }, stop.signal),
    );
    const ended = Promise.all(jobs.map((job) => assert.rejects(job, /not wanted/)));
    await fileExists(file);
    stop.abort(new Error('not wanted'));
    await Promise.all([ended, isGone(own)]);
    assert.notEqual(await pidOf(pool), own);
    await assert.rejects(pool.perform('one', { do: 'pid' }, stop.signal), /not wanted/);
  });

  it('is not started again and again if it cannot start', async (context) => {
    const broken = join(folder, 'broken.mjs');
    writeFileSync(
      broken,
      `import { appendFileSync } from 'node:fs';
      appendFileSync(process.argv[1] + '.starts', 'x');
      throw new Error('this file is broken');`,
    );
    const pool = hostilePool({}, { file: new URL(`file://${broken}`) });
    context.after(() => pool.close());
    const failures = await Promise.all(
      Array.from({ length: 5 }, () =>
        pool.perform('one', { do: 'pid' }).then(
          () => assert.fail('a broken file has a result'),
          (error: AppError) => error,
        ),
      ),
    );
    for (const { code } of failures) assert.equal(code, 'SERVICE_UNAVAILABLE');
    assert.match(String(failures[0]?.cause), /this file is broken/);
    assert.equal(readFileSync(`${broken}.starts`, 'utf8'), 'x');
  });
});

describe('the child of a process', () => {
  const start = (jobs: readonly HostileJob[], { env = {}, stdio = [] as number[] } = {}) => {
    const file = join(import.meta.dirname, 'support', 'hostile-parent.ts');
    const parent = endWithTests(
      spawn(process.execPath, [file, JSON.stringify(jobs)], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit', ...stdio],
      }),
    );
    const lines = createInterface({ input: parent.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    return { parent, answer: async () => JSON.parse((await lines.next()).value ?? 'null') };
  };

  it('ends after a kill -9 of the process, idle or in an endless loop', async () => {
    const file = newFile();
    const [idle, busy] = [start([{ do: 'pid' }]), start([{ do: 'pid' }, { do: 'an endless loop', file }])];
    const pids = [await idle.answer(), await busy.answer()];
    await fileExists(file);
    for (const { parent } of [idle, busy]) {
      const exited = once(parent, 'exit');
      parent.kill('SIGKILL');
      await exited;
    }
    for (const pid of pids) await isGone(pid);
  });

  it('has none of its environment, arguments and files', { skip: process.platform !== 'linux' }, async () => {
    const secret = newFile();
    writeFileSync(secret, '');
    const env = {
      DATA_KEY: 'a-secret',
      DATABASE_URL: 'postgres://a-secret',
      OPENAI_API_KEY: 'a-secret',
      NODE_OPTIONS: '--no-warnings',
    };
    const descriptor = openSync(secret, 'r');
    const { parent, answer } = start([{ do: 'environment' }], { env, stdio: [descriptor, descriptor, descriptor] });
    const { env: own, execArgv, descriptors } = await answer();
    parent.kill('SIGKILL');
    // `PWD` is set by the shell.
    const names = Object.keys(own).filter(
      (name) => !['NODE_COMPILE_CACHE', 'PWD', 'OLDPWD', '_', 'SHLVL'].includes(name),
    );
    assert.deepEqual(names, []);
    assert.doesNotMatch(JSON.stringify([own, execArgv]), /a-secret|no-warnings/);
    assert.ok(!descriptors.includes(secret), `it has ${descriptors}`);
  });
});
