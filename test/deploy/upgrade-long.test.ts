import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { calledAgain, spokenCall } from '../areas/calls/live/caller.ts';
import { eventually, on, said, testAgent } from '../areas/calls/support.ts';
import { type EventReceiver, eventReceiver } from '../areas/webhooks/receiving.ts';
import { locationOf, onPostgres, postgresEngine } from '../support/engines.ts';
import { nextRelease } from '../support/next-release.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { type Answered, RoundRobin } from './round-robin.ts';

const key = 'a-key-of-our-own-choice';
const file = join(import.meta.dirname, 'upgrade-service.ts');
/** Callers at a time, and how many chats end before the next instance is replaced. */
const callers = 4;
const chatsBetween = 12;

type Release = 'this' | 'next';

/** What a caller was told about a chat. */
interface Chat {
  readonly id: string;
  readonly messages: string[];
  readonly externalId: string;
  readonly fate: 'kept' | 'redacted' | 'deleted';
  readonly endedBy: ServiceProcess;
}

describe('an upgrade of two instances, one after the other', { ...onPostgres, timeout: 600_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-upgrade-'));
  const engine = postgresEngine();
  const proxy = new RoundRobin(key);
  const running: { readonly instance: ServiceProcess; readonly release: Release }[] = [];
  let settings: Record<string, string>;
  let database: Database;
  let receiver: EventReceiver;

  const start = async (release: Release) => {
    const instance = await startProcess({ ...settings, TEST_RELEASE: release }, { file });
    running.push({ instance, release });
    return instance;
  };
  /** The proxy notices by its health check, a little later. */
  const stop = async (instance: ServiceProcess) => {
    const ended = instance.end('SIGTERM');
    await eventually(async () => (await readiness(instance)) !== 200);
    proxy.instances = proxy.instances.filter((each) => each !== instance);
    assert.equal((await ended).code, 0);
  };

  before(async () => {
    settings = {
      DATABASE_URL: await engine.newServiceUrl(),
      DATA_KEY: Buffer.alloc(32, 7).toString('base64'),
      BOOTSTRAP_API_KEY: key,
      MEDIA_DIR: join(folder, 'media'),
      RATE_LIMIT: 'off',
      CALL_RATE: 'off',
    };
    database = openDatabase(locationOf(settings.DATABASE_URL as string), () => {});
    receiver = await eventReceiver();
  });
  after(async () => {
    for (const { instance } of running) await instance.end('SIGTERM');
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('loses nothing and writes nothing wrongly, and no instance is unready before it is stopped', async (context) => {
    const [first, second] = [await start('this'), await start('this')];
    proxy.instances = [first, second];
    const watch = watchReadiness([first, second]);
    const agentId = await publishedAgent(first);
    const workflowId = await addListeners();
    const spoken = await spokenCall(first, key, { agent: { agentSettings: {} } });
    await spoken.caller.say('hello', 'there');
    await spoken.client.said('hello there');

    const load = startLoad(agentId);
    await load.ended(chatsBetween);
    const third = await start('next');
    const migratedAt = load.count();
    await load.ended(chatsBetween);
    proxy.instances = [...proxy.instances, third];
    await load.ended(chatsBetween);
    watch.forget(first);
    const stopped = stop(first);
    assert.equal(await spoken.client.closed, 4503);
    const resumed = await calledAgain(third, spoken.id, spoken.resumeKey);
    await stopped;
    const fourth = await start('next');
    proxy.instances = [...proxy.instances, fourth];
    await load.ended(chatsBetween);
    watch.forget(second);
    await stop(second);
    await load.ended(chatsBetween);
    const chats = await load.stop();
    await resumed.caller.say('good', 'bye');
    await resumed.client.said('good bye');
    resumed.client.send({ type: 'end' });
    await resumed.client.closed;
    assert.deepEqual(
      await watch.stop(),
      [],
      'what old instances answered to the health check before they were stopped',
    );

    const byOld = chats.slice(migratedAt).filter(({ endedBy }) => endedBy === first || endedBy === second);
    assert.ok(byOld.length > 0, 'instances of this release have ended calls after the migration');
    context.diagnostic(`${chats.length} chats, ${byOld.length} of them ended by old instances after the migration`);
    context.diagnostic(`${proxy.refused} requests met documents of the next release and were repeated`);
    context.diagnostic(
      `the longest write took ${Math.round(load.longestMs(0, migratedAt))} ms before the migration, and ${Math.round(load.longestMs(migratedAt))} ms since`,
    );
    assert.deepEqual(
      said(await on(third, key, spoken.id).turns()).filter(([role]) => role === 'caller'),
      [
        ['caller', 'hello there'],
        ['caller', 'good bye'],
      ],
    );
    await checkChats(third, chats);
    const kept = [...chats.filter(({ fate }) => fate !== 'deleted').map(({ id }) => id), spoken.id];
    await checkDerived(chats, kept);
    await checkReceived(
      workflowId,
      chats.filter(({ fate }) => fate === 'kept').map(({ id }) => id),
    );
    for (const { instance } of running) assert.doesNotMatch(instance.output(), /"level":"(error|fatal)"/);
  });

  async function publishedAgent(instance: ServiceProcess): Promise<string> {
    const { id } = await testAgent(instance, key);
    const { headers } = await proxy.ask(200, 'GET', `/api/v1/agents/${id}`);
    const published = await fetch(`${instance.url}/api/v1/agents/${id}/publish`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'if-match': headers.get('etag') ?? '' },
    });
    assert.equal(published.status, 200);
    return id;
  }

  /** A webhook and a workflow. Resolves to the id of the workflow. */
  async function addListeners(): Promise<string> {
    const hook = { url: `${receiver.url}/webhook`, events: ['call_ended'] };
    await proxy.ask(201, 'POST', '/api/v1/webhooks', hook);
    const trigger = { event: 'call_ended', includeDrafts: true };
    const steps = [{ id: 'send', type: 'http_request', url: `${receiver.url}/workflow/{{call.id}}`, body: {} }];
    const workflow = await proxy.ask(201, 'POST', '/api/v1/workflows', { name: 'Follow-up', trigger, steps });
    await proxy.ask(200, 'PATCH', `/api/v1/workflows/${workflow.json.id}`, { enabled: true });
    return workflow.json.id;
  }

  /** Callers that chat, one chat after the other, and change, redact or delete some of them afterwards. */
  function startLoad(agentId: string) {
    const chats: Chat[] = [];
    const writes: { readonly place: number; readonly tookMs: number }[] = [];
    let isStopping = false;
    let made = 0;
    const write = async (status: number, method: string, path: string, body?: object): Promise<Answered> => {
      const answer = await proxy.ask(status, method, path, body);
      writes.push({ place: chats.length, tookMs: answer.tookMs });
      return answer;
    };
    const chat = async (): Promise<void> => {
      made += 1;
      const externalId = `order ${made}`;
      const fate = (['kept', 'redacted', 'kept', 'deleted'] as const)[made % 4] ?? 'kept';
      const created = await write(201, 'POST', '/api/v1/calls', { type: 'chat', agentId, agentVersion: 'latest' });
      const { id } = created.json;
      const messages = ['one', 'two', 'three'].map((word) => `${word} of ${externalId}`);
      for (const text of messages) await write(200, 'POST', `/api/v1/calls/${id}/messages`, { text });
      const { by: endedBy } = await write(200, 'POST', `/api/v1/calls/${id}/end`);
      chats.push({ id, messages, externalId, fate, endedBy });
      await write(200, 'PATCH', `/api/v1/calls/${id}`, { externalId });
      if (fate === 'redacted') await write(200, 'POST', `/api/v1/calls/${id}/redact`, { to: 'basic_attributes_only' });
      if (fate === 'deleted') await write(200, 'DELETE', `/api/v1/calls/${id}`);
    };
    const loops = Array.from({ length: callers }, async () => {
      while (!isStopping) await chat();
    });
    // Otherwise a failed caller would be noticed only at the end.
    const failed = Promise.all(loops);
    failed.catch(() => {});
    return {
      count: () => chats.length,
      /** That many more. */
      ended: async (count: number) => {
        const target = chats.length + count;
        await Promise.race([failed, eventually(() => chats.length >= target, `${count} more chats`)]);
      },
      stop: async () => {
        isStopping = true;
        await failed;
        return chats;
      },
      longestMs: (from: number, to = Number.POSITIVE_INFINITY) =>
        Math.max(...writes.filter(({ place }) => place >= from && place < to).map(({ tookMs }) => tookMs)),
    };
  }

  async function checkChats(instance: ServiceProcess, chats: readonly Chat[]): Promise<void> {
    for (const { id, messages, externalId, fate } of chats) {
      const { status, json } = await on(instance, key, id).get();
      assert.equal(status, fate === 'deleted' ? 404 : 200);
      if (fate === 'deleted') continue;
      assert.deepEqual([json.status, json.externalId], ['ended', externalId], id);
      if (fate === 'redacted') continue;
      const caller = (await on(instance, key, id).turns()).filter(({ role }) => role === 'caller');
      assert.deepEqual(
        caller.map(({ text }) => text),
        messages,
        id,
      );
    }
  }

  /** Everything that is derived from calls is there, as the calls are. */
  async function checkDerived(chats: readonly Chat[], kept: readonly string[]): Promise<void> {
    const idsIn = async (table: string) =>
      (await database.all<{ call_id: string }>(`SELECT call_id FROM ${table} ORDER BY call_id`)).map(
        (row) => row.call_id,
      );
    await eventually(async () => (await idsIn('call_catch_up')).length === 0, 'the catching up');
    for (const table of ['call_ends', 'call_facts']) assert.deepEqual(await idsIn(table), kept.toSorted(), table);
    const redacted = new Set(chats.filter(({ fate }) => fate === 'redacted').map(({ id }) => id));
    assert.deepEqual(await idsIn('call_texts'), kept.filter((id) => !redacted.has(id)).toSorted());
    for (const table of ['call_ends', 'call_facts']) {
      const differing = await database.all(
        `SELECT id FROM calls JOIN ${table} ON call_id = calls.id
          WHERE ${table}.external_id IS DISTINCT FROM calls.external_id
            OR ${table}.end_reason IS DISTINCT FROM calls.end_reason`,
      );
      assert.deepEqual(differing, [], table);
    }
    const schema = await database.get<{ version: number }>('SELECT max(version) AS version FROM schema_migrations');
    assert.equal(schema?.version, nextRelease.migrations.length);
  }

  /** Every end was reported to the webhook, and has started one run of the workflow, which has sent its request. */
  async function checkReceived(workflowId: string, ids: readonly string[]): Promise<void> {
    const receivedAt = (path: string) => receiver.requests.filter((request) => request.path.startsWith(path));
    const reported = () => new Set(receivedAt('/hook/webhook').map(({ body }) => JSON.parse(body).data.call.id));
    const followed = () => new Set(receivedAt('/hook/workflow').map(({ path }) => path.split('/').at(-1)));
    const missing = () => ids.filter((id) => !reported().has(id) || !followed().has(id));
    await eventually(() => missing().length === 0, `the requests about ${missing()}`);
    // The runs of redacted and deleted calls are canceled.
    const succeeded = async () => {
      const runs = await database.all<{ call_id: string; status: string }>(
        'SELECT call_id, status FROM workflow_runs WHERE workflow_id = $1',
        [workflowId],
      );
      const ofKept = runs.filter(({ call_id }) => ids.includes(call_id));
      assert.deepEqual(ofKept.map(({ call_id }) => call_id).toSorted(), ids.toSorted(), 'one run for each call');
      return ofKept.every(({ status }) => status === 'succeeded');
    };
    await eventually(succeeded, 'the success of all runs');
  }
});

async function readiness({ url }: ServiceProcess): Promise<number> {
  return fetch(`${url}/readyz`).then(
    ({ status }) => status,
    () => 0,
  );
}

/** Asks instances whether they are ready, again and again, until they are forgotten. */
function watchReadiness(instances: readonly ServiceProcess[]) {
  const watched = new Set(instances);
  const unready: string[] = [];
  let isStopping = false;
  const watching = (async () => {
    while (!isStopping) {
      for (const instance of watched) {
        const status = await readiness(instance);
        if (status !== 200 && watched.has(instance)) unready.push(`${status} of ${instance.url}`);
      }
      await delay(50);
    }
  })();
  return {
    forget: (instance: ServiceProcess) => void watched.delete(instance),
    stop: async () => {
      isStopping = true;
      await watching;
      return unready;
    },
  };
}
