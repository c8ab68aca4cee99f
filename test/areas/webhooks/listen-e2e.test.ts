import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it, type TestContext } from 'node:test';
import { command } from '../../cli/support.ts';
import { runInProcess } from '../../support/command-line.ts';
import { eventually } from '../../support/eventually.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { eventReceiver } from './receiving.ts';

const started = Date.UTC(2026, 10, 15, 9, 30);
const dayMs = 24 * 3_600_000;

function event(number: number, at: number) {
  const id = `evt_${number}`;
  const timestamp = new Date(at).toISOString();
  const body = { id, type: 'agent_published', timestamp, data: { agentId: 'agt_1' } };
  return { id, type: body.type, timestamp, sequence: number, subject: { type: 'agent', id: 'agt_1' }, body };
}

type FakeEvent = ReturnType<typeof event>;

/** A service whose newest event is on the second page, newest first, and whose list then is `kept`, oldest first. */
async function fakeService(newest: FakeEvent, kept: readonly FakeEvent[]): Promise<Record<string, string>> {
  const { port } = await httpReceiver((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://service');
    const cursor = searchParams.get('cursor');
    response.setHeader('content-type', 'application/json');
    const reply = (items: readonly FakeEvent[], nextCursor: string) =>
      response.end(JSON.stringify({ items, pagination: { nextCursor } }));
    if (searchParams.get('order') !== 'asc') return cursor === null ? reply([], 'older') : reply([newest], 'oldest');
    // The last page is one that waits.
    return cursor === null ? reply(kept, 'end') : undefined;
  });
  return { VOICE_AGENTS_BASE_URL: `http://127.0.0.1:${port}`, VOICE_AGENTS_API_KEY: `vak_${'x'.repeat(40)}` };
}

function listenTo(context: TestContext, settings: Record<string, string>, forward: string) {
  const args = [command, 'listen', '--forward', forward, '--type', 'agent_published'];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...settings } });
  context.after(() => child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, closed, stdout: () => stdout };
}

describe('voice-agents listen', () => {
  const newest = event(2, started);
  const next = event(3, started + 1);
  const muchLater = event(4, started + dayMs);
  for (const [name, kept] of [
    ['starts after the newest event of a rare type', [event(1, started - 1), newest, next]],
    ['goes on although the event that it starts at is removed meanwhile', [muchLater]],
  ] as const) {
    it(name, async (context) => {
      const receiver = await eventReceiver();
      const { child, closed } = listenTo(context, await fakeService(newest, kept), receiver.url);
      await eventually(() => receiver.requests.length > 0, 'an event');
      child.kill('SIGINT');
      assert.equal(await closed, 0);
      const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
      assert.deepEqual(ids, [kept.at(-1)?.id]);
    });
  }

  it('stops at once, although the server that it forwards to does not answer', async (context) => {
    const receiver = await eventReceiver(() => undefined);
    const service = await fakeService(newest, [newest, next, muchLater]);
    const { child, closed, stdout } = listenTo(context, service, receiver.url);
    await eventually(() => receiver.requests.length === 1, 'a request');
    child.kill('SIGINT');
    assert.equal(await closed, 0);
    assert.match(stdout(), /failed: stopped before an answer\n$/);
    assert.equal(receiver.requests.length, 1);
  });

  it('tells what the server that it forwards to did, and goes on', async (context) => {
    const receiver = await eventReceiver((response, _, index) => {
      if (index === 0) response.destroy();
      else response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    });
    const service = await fakeService(newest, [newest, next, muchLater]);
    const { child, closed, stdout } = listenTo(context, service, receiver.url);
    await eventually(() => stdout().split('→').length === 3, 'both');
    child.kill('SIGINT');
    assert.equal(await closed, 0);
    assert.match(stdout(), /→ {2}failed: \S+.*\n.*→ {2}307\n$/);
  });

  it('refuses an address that nothing can be sent to', async () => {
    const settings = await fakeService(newest, []);
    for (const address of ['3000', 'ftp://127.0.0.1/', 'http://user:secret@127.0.0.1:3000/hook']) {
      const { code, stderr } = await runInProcess(['listen', '--forward', address], settings);
      assert.equal(code, 2);
      assert.match(stderr, /--forward must/);
      assert.doesNotMatch(stderr, /secret/);
    }
  });
});

describe('voice-agents events tail', () => {
  it('refuses filters beside a cursor, which has its own', async () => {
    for (const filter of [
      ['--type', 'call_ended'],
      ['--since', '2026-11-15T00:00:00Z'],
    ]) {
      const { code, stderr } = await runInProcess(['events', 'tail', '--cursor', 'x', ...filter], {});
      assert.equal(code, 2);
      assert.match(stderr, /--cursor.* cannot be used with option/);
    }
  });
});
