import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createProgress } from '../../src/cli/terminal/progress.ts';
import { FaultProxy } from '../sdk/support/fault-proxy.ts';
import { collect } from '../sdk/support/started-service.ts';
import { endWithTests } from '../support/children.ts';
import { type Caller, stateOf, useGround, write, yamlOf } from './support.ts';

const command = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'bin', 'voice-agents.js');

describe('an incomplete apply', () => {
  const ground = useGround();
  const agents = 40;

  /** An apply in progress behind a proxy, which calls `onCreate` with the number of each create. */
  async function begin(context: TestContext) {
    const proxy = new FaultProxy(ground.service);
    context.after(() => proxy.close());
    const baseUrl = await proxy.start();
    const caller = await ground.newCaller({ baseUrl });
    const folder = ground.newFolder();
    for (let number = 0; number < agents; number += 1) write(folder, `${number}.yaml`, yamlOf(`Agent ${number}`));
    const env = { PATH: process.env.PATH, VOICE_AGENTS_API_KEY: caller.key, VOICE_AGENTS_BASE_URL: baseUrl };
    const start = (): ChildProcess =>
      endWithTests(spawn(process.execPath, [command, 'apply', folder, '--yes'], { env }));
    return { proxy, caller, folder, start };
  }

  const isCreate = ({ method }: { method?: string | undefined }) => method === 'POST';
  const namesOn = async (caller: Caller) => (await collect(caller.client.agents.list())).map(({ name }) => name).sort();
  const allNames = Array.from({ length: agents }, (_, number) => `Agent ${number}`).sort();

  it('can be repeated after SIGKILL, and then creates every agent exactly once', async (context) => {
    const { proxy, caller, folder, start } = await begin(context);
    let creates = 0;
    const silent = Promise.withResolvers<void>();
    // From the tenth on, agents are created but the responses never arrive.
    proxy.decide = (message) => {
      if (!isCreate(message)) return null;
      creates += 1;
      if (creates === 17) silent.resolve();
      return creates < 10 ? null : 'silence';
    };
    const killed = start();
    await silent.promise;
    // Concurrently, in the same folder.
    const second = await caller.run('apply', folder, '--yes');
    assert.equal(second.code, 5);
    assert.match(second.stderr, /another pull or apply is running in this directory/);
    killed.kill('SIGKILL');
    await once(killed, 'close');
    const made = await namesOn(caller);
    assert.ok(made.length >= 16 && made.length < agents, `${made.length} made`);
    assert.equal(Object.keys(stateOf(folder).workspaces[0].pending).length > agents - 20, true);

    proxy.next();
    const state = stateOf(folder);
    const { pending } = state.workspaces[0];
    const [changed, deleted, old] = made.map((name) => name.slice(6)).filter((number) => pending[`${number}.yaml`]);
    // Three that were created, although the state only knows that they may have been: one whose file has changed since,
    // one that was deleted since, and one whose idempotency key has expired.
    write(folder, `${changed}.yaml`, yamlOf(`Agent ${changed}`, 'voiceSpeed: 2\n'));
    const [found] = (await collect(caller.client.agents.list())).filter(({ name }) => name === `Agent ${deleted}`);
    await caller.client.agents.delete(found?.id ?? '');
    pending[`${old}.yaml`].since = '2026-01-01T00:00:00.000Z';
    write(folder, '.voice-agents.json', JSON.stringify(state));
    const again = await caller.run('apply', folder, '--yes');
    assert.deepEqual(await namesOn(caller), allNames);
    assert.equal(again.code, 5, again.stdout.slice(-1000));
    assert.match(again.stdout, /\nFailed or incomplete: 2\n/);
    assert.match(
      again.stdout,
      new RegExp(`/${changed}\\.yaml: an interrupted apply already created this agent .* --adopt`),
    );
    assert.match(again.stdout, new RegExp(`/${old}\\.yaml: an interrupted apply may have created it: use --adopt`));
    assert.equal((await caller.run('apply', folder, '--yes', '--adopt')).code, 0);
    assert.deepEqual(await namesOn(caller), allNames);
    assert.equal(stateOf(folder).workspaces[0].pending, undefined);
    assert.equal((await caller.run('plan', folder, '--exit-code')).code, 0);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('.')),
      ['.voice-agents.json'],
    );
  });

  it('saves what it did when interrupted, and reports what it did not start', async (context) => {
    const { proxy, caller, folder, start } = await begin(context);
    const child = start();
    let creates = 0;
    proxy.decide = (message) => {
      if (isCreate(message)) creates += 1;
      if (creates === 10) child.kill('SIGINT');
      return null;
    };
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 130);
    const made = await namesOn(caller);
    assert.match(
      output,
      new RegExp(`Done: ${made.length} created\\.\\nFailed or incomplete: ${agents - made.length}\\n`),
    );
    assert.match(output, /\.yaml: not started\n/);
    assert.equal(Object.keys(stateOf(folder).workspaces[0].agents).length, made.length);
    const keys = proxy.seen.filter(isCreate).map(({ headers }) => headers['idempotency-key']);
    assert.ok(keys.every((key) => typeof key === 'string' && key.startsWith('as-code-')));
    assert.equal((await caller.run('apply', folder, '--yes')).code, 0);
    assert.deepEqual(await namesOn(caller), allNames);
  });
});

describe('the progress bar', () => {
  it('is shown on a terminal and removed at the end, and is not written to a pipe', () => {
    const shown = (isTTY: boolean): string => {
      const written: string[] = [];
      const stream = { isTTY, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
      const progress = createProgress('Applying', stream);
      progress.show(300, 1200);
      progress.end();
      return written.join('');
    };
    assert.equal(shown(true), `\r\x1b[K  Applying  ${'█'.repeat(6)}${'░'.repeat(18)}  25 %\r\x1b[K`);
    assert.equal(shown(false), '');
  });
});
