import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NewEvent, WrittenEvent } from '../../../src/areas/webhooks/events.ts';
import { maxEventBytes } from '../../../src/contract/webhooks/events.ts';
import type { Queries } from '../../../src/storage/database.ts';
import { onEachEngine, onPostgres, postgresEngine } from '../../support/engines.ts';
import {
  addWebhook,
  bodyOf,
  callEvent,
  deliveriesOf,
  eventsOf,
  startEventService,
  useEventService,
  write,
} from './support.ts';

const agentEvent = (workspaceId: string, agentId: string): NewEvent => ({
  workspaceId,
  type: 'agent_published',
  subjectId: agentId,
  sequence: null,
  agentId,
  agentWebhook: null,
  data: { agentId, version: 1, versionDescription: null },
});

onEachEngine('events', (engine) => {
  const service = useEventService(engine);
  const newWorkspace = async () => (await service.newKey()).workspaceId;

  it('exist exactly if their cause is committed, with everything that belongs to them', async () => {
    const workspaceId = await newWorkspace();
    await addWebhook(service, workspaceId, { include: ['transcript'] });
    const tables = ['events', 'event_transcripts', 'deliveries', 'event_subjects', 'event_positions'];
    const counts = async () => {
      const rows = await Promise.all(tables.map((table) => service.database.all(`SELECT * FROM ${table}`)));
      return rows.map(({ length }) => length);
    };
    const before = await counts();
    const failing = service.database.transaction(async (queries) => {
      await service.webhooks.events.write(queries, agentEvent(workspaceId, 'agt_1'));
      await service.webhooks.events.write(queries, callEvent(workspaceId));
      throw new Error('the cause fails');
    });
    await assert.rejects(failing, /the cause fails/);
    assert.deepEqual(await counts(), before);
    await write(service, agentEvent(workspaceId, 'agt_1'));
    await write(service, callEvent(workspaceId));
    assert.deepEqual(
      (await counts()).map((count, index) => count - (before[index] as number)),
      [2, 1, 2, 1, 1],
    );
  });

  it('fail their cause if they cannot be written', async () => {
    const workspaceId = await newWorkspace();
    const failing = service.database.transaction(async (queries) => {
      await queries.run("INSERT INTO settings (name, value) VALUES ('effect', 'x')");
      await service.webhooks.events.write(queries, callEvent(workspaceId, { type: null as never }));
    });
    await assert.rejects(failing);
    assert.equal(await service.database.get("SELECT 1 AS one FROM settings WHERE name = 'effect'"), undefined);
    assert.deepEqual(await eventsOf(service, workspaceId), []);
  });

  it('have the body of the contract, with the id, time and sequence of the event', async () => {
    const workspaceId = await newWorkspace();
    const data = { callId: 'call_1', level: 'deleted' };
    const id = await write(service, {
      ...callEvent(workspaceId),
      type: 'call_deleted',
      sequence: 4,
      data,
      transcript: undefined as never,
    });
    const [row] = await eventsOf(service, workspaceId);
    const { timestamp, ...body } = bodyOf(row);
    assert.equal(Date.parse(timestamp), row?.created_at);
    assert.deepEqual(body, {
      id,
      type: 'call_deleted',
      apiVersion: '0.0.1',
      workspaceId,
      sequence: 4,
      test: false,
      data,
    });
    assert.deepEqual(Object.keys(bodyOf(row)), [
      'id',
      'type',
      'timestamp',
      'apiVersion',
      'workspaceId',
      'sequence',
      'test',
      'data',
    ]);
  });

  it('are numbered from 1 for each agent, in order, also if they are written at once', async () => {
    const workspaceId = await newWorkspace();
    await Promise.all(Array.from({ length: 10 }, () => write(service, agentEvent(workspaceId, 'agt_1'))));
    await write(service, agentEvent(workspaceId, 'agt_2'));
    await write(service, callEvent(workspaceId, { sequence: 7 }));
    const sequences = (await eventsOf(service, workspaceId)).map(({ sequence }) => sequence);
    assert.deepEqual(sequences, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 7]);
  });

  it('have positions in each workspace without gaps or repetitions, in the order of their commits', async () => {
    const workspaces = [await newWorkspace(), await newWorkspace()] as const;
    const committed: string[] = [];
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        committed.push(await write(service, callEvent(workspaces[index % 2] as string, { sequence: index + 1 })));
      }),
    );
    for (const workspaceId of workspaces) {
      const rows = await eventsOf(service, workspaceId);
      assert.deepEqual(
        rows.map(({ position }) => position),
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
    }
    assert.equal(new Set(committed).size, 40);
  });

  it('take up to three statements in a workspace without webhooks', async () => {
    const workspaceId = await newWorkspace();
    let statements = 0;
    await service.database.transaction((queries) => {
      const counted = (name: 'get' | 'all' | 'run' | 'write') => (sql: string, parameters: never) => {
        statements += 1;
        return queries[name](sql, parameters);
      };
      const names = ['get', 'all', 'run', 'write'] as const;
      const counting = { ...queries, ...Object.fromEntries(names.map((name) => [name, counted(name)])) } as Queries;
      return service.webhooks.events.write(counting, callEvent(workspaceId));
    });
    assert.equal(statements, 3);
  });

  it('are delivered to each webhook that subscribes to them: pending, or skipped if it is not active', async () => {
    const workspaceId = await newWorkspace();
    const add = (fields: Parameters<typeof addWebhook>[2]) => addWebhook(service, workspaceId, fields);
    const all = await add({});
    const byName = await add({ events: ['call_started', 'call_ended'], agentIds: ['agt_0', 'agt_1'] });
    const paused = await add({ status: 'paused' });
    const disabled = await add({ status: 'disabled', disabledReason: 'gone' });
    await add({ events: ['call_started'] });
    await add({ agentIds: ['agt_2'] });
    await addWebhook(service, await newWorkspace());
    const eventId = await write(service, callEvent(workspaceId));
    const found = (await deliveriesOf(service, workspaceId)).map((row) => [row.webhook_id, row.status, row.reason]);
    assert.deepEqual(found, [
      [all.id, 'pending', null],
      [byName.id, 'pending', null],
      [paused.id, 'skipped', 'webhook_paused'],
      [disabled.id, 'skipped', 'webhook_disabled'],
    ]);
    for (const row of await deliveriesOf(service, workspaceId)) {
      assert.match(row.id as string, /^dlv_/);
      const { event_id, event_type, subject_id, sequence, triggered_by, attempt, url, completed_at, created_at } = row;
      assert.deepEqual(
        { event_id, event_type, subject_id, sequence, triggered_by, attempt, url },
        {
          event_id: eventId,
          event_type: 'call_ended',
          subject_id: 'call_1',
          sequence: 1,
          triggered_by: 'event',
          attempt: 0,
          url: null,
        },
      );
      assert.equal(completed_at, row.status === 'skipped' ? created_at : null);
      assert.equal(typeof row.next_attempt_at, row.status === 'pending' ? 'number' : 'object');
    }
  });

  it('without an agent are not filtered by agents, and a webhook gets none about itself', async () => {
    const workspaceId = await newWorkspace();
    const other = await addWebhook(service, workspaceId, { agentIds: ['agt_2'] });
    const own = await addWebhook(service, workspaceId);
    await write(service, {
      ...agentEvent(workspaceId, own.id),
      type: 'webhook_disabled',
      subjectId: own.id,
      agentId: null,
      data: { webhookId: own.id, reason: 'failing' },
    });
    await eventsOf(service, workspaceId);
    const webhookIds = (await deliveriesOf(service, workspaceId)).map(({ webhook_id }) => webhook_id);
    assert.deepEqual(webhookIds, [other.id]);
  });

  it('go to the address of the version that the call is pinned to, if it wants them', async () => {
    const workspaceId = await newWorkspace();
    const own = await addWebhook(service, workspaceId, {
      kind: 'agent',
      agentId: 'agt_1',
      url: 'https://new.example/',
    });
    await addWebhook(service, workspaceId, { kind: 'agent', agentId: 'agt_2', url: 'https://other.example/' });
    const url = 'https://pinned.example/';
    await write(service, callEvent(workspaceId, { agentWebhook: { url: null, events: ['call_ended'] } }));
    await write(service, callEvent(workspaceId, { agentWebhook: { url, events: ['call_started'] } }));
    assert.deepEqual(await deliveriesOf(service, workspaceId), []);
    await write(service, callEvent(workspaceId, { agentWebhook: { url, events: ['call_started', 'call_ended'] } }));
    const found = (await deliveriesOf(service, workspaceId)).map((row) => [row.webhook_id, row.url]);
    assert.deepEqual(found, [[own.id, url]]);
  });

  it('have a transcript only where a webhook includes it, which the list of events never shows', async () => {
    const workspaceId = await newWorkspace();
    await addWebhook(service, workspaceId);
    let reads = 0;
    const transcript = () => {
      reads += 1;
      return { turns: [{ text: '予約したいです' }] };
    };
    await write(service, callEvent(workspaceId, { transcript }));
    assert.equal(reads, 0);
    await addWebhook(service, workspaceId, { include: ['transcript'] });
    const id = await write(service, callEvent(workspaceId, { transcript }));
    const missing = await write(service, callEvent(workspaceId, { transcript: async () => null }));
    assert.equal(reads, 1);
    for (const row of await eventsOf(service, workspaceId)) {
      const { transcript: shown, omitted } = bodyOf(row).data;
      assert.deepEqual([shown, omitted], [null, []]);
    }
    const rows = await service.database.all<{ event_id: string; body: string }>(
      'SELECT event_id, body FROM event_transcripts WHERE event_id IN ($1, $2) ORDER BY event_id',
      [id, missing],
    );
    assert.deepEqual(
      rows.map((row) => [row.event_id, bodyOf(row).data.transcript]),
      [
        [id, { turns: [{ text: '予約したいです' }] }],
        [missing, null],
      ],
    );
    assert.deepEqual(bodyOf(rows[1]).data.omitted, ['transcript']);
  });

  it('have at most 256 KiB: the transcript is left out first, then evidence and data of the analysis', async () => {
    const workspaceId = await newWorkspace();
    await addWebhook(service, workspaceId, { include: ['transcript'] });
    const text = (kibibytes: number) => '予'.repeat((kibibytes * 1024) / 3);
    const bodies = async (analysis: { evidence: object; data: object }, transcript: object) => {
      const data = { call: { id: 'call_1', analysis: { status: 'completed', ...analysis } } };
      const id = await write(service, callEvent(workspaceId, { data, transcript: () => transcript }));
      const sql = (table: string, column: string) => `SELECT body FROM ${table} WHERE ${column} = $1`;
      const plain = await service.database.get<{ body: string }>(sql('events', 'id'), [id]);
      const full = await service.database.get<{ body: string }>(sql('event_transcripts', 'event_id'), [id]);
      return [plain, full].map((row) => {
        assert.ok(Buffer.byteLength(row?.body as string) <= maxEventBytes);
        return bodyOf(row).data as unknown as { call: { analysis: object }; transcript: unknown; omitted: string[] };
      });
    };
    const none = { successful: null, sentiment: null, data: {} };
    const small = await bodies({ evidence: { a: text(50) }, data: { b: 1 } }, { turns: text(150) });
    assert.deepEqual(
      small.map(({ omitted }) => omitted),
      [[], []],
    );
    const long = await bodies({ evidence: { a: text(100) }, data: { b: 1 } }, { turns: text(200) });
    assert.deepEqual(
      long.map(({ omitted }) => omitted),
      [[], ['transcript']],
    );
    assert.equal(long[1]?.transcript, null);
    const longer = await bodies({ evidence: { a: text(200) }, data: { b: text(100) } }, { turns: [] });
    assert.deepEqual(
      longer.map(({ omitted }) => omitted),
      [['analysis.evidence'], ['transcript', 'analysis.evidence']],
    );
    assert.deepEqual(longer[0]?.call.analysis, { status: 'completed', evidence: none, data: { b: text(100) } });
    const longest = await bodies({ evidence: { a: text(200) }, data: { b: text(300) } }, { turns: [] });
    assert.deepEqual(longest[0]?.omitted, ['analysis.evidence', 'analysis.data']);
    assert.deepEqual(longest[0]?.call.analysis, { status: 'completed', evidence: none, data: {} });
    await eventsOf(service, workspaceId);
  });

  it('are given to the functions that other areas add, in the same transaction', async () => {
    const heard: WrittenEvent[] = [];
    const own = await startEventService(engine, {
      listeners: [
        async (queries, event) => {
          heard.push(event);
          await queries.run('INSERT INTO settings (name, value) VALUES ($1, $2)', ['heard', event.id]);
        },
      ],
    });
    const { workspaceId } = await own.newKey();
    const id = await write(own, agentEvent(workspaceId, 'agt_1'));
    assert.deepEqual(
      heard.map((event) => [event.id, event.sequence, event.type]),
      [[id, 1, 'agent_published']],
    );
    const row = await own.database.get<{ value: string }>("SELECT value FROM settings WHERE name = 'heard'");
    assert.equal(row?.value, id);
    // A second one cannot be added, so the event is not written either.
    await assert.rejects(write(own, agentEvent(workspaceId, 'agt_1')));
    assert.equal((await eventsOf(own, workspaceId)).length, 1);
    await own.close();
  });

  describe('of a call', () => {
    /** Two events with deliveries, a transcript and an attempt with a response. */
    const prepared = async () => {
      const workspaceId = await newWorkspace();
      await addWebhook(service, workspaceId, { include: ['transcript'] });
      const started = { type: 'call_started', transcript: undefined } as const;
      await write(service, callEvent(workspaceId, started as never));
      await write(service, callEvent(workspaceId, { sequence: 2 }));
      await write(service, callEvent(workspaceId, { subjectId: 'call_2' }));
      for (const { id } of await deliveriesOf(service, workspaceId)) {
        await service.database.run(
          `INSERT INTO delivery_attempts (delivery_id, number, started_at, duration_ms, url, outcome, response_body)
            VALUES ($1, 1, 0, 0, 'https://crm.example.com/', 'http_error', 'who was it?')`,
          [id as string],
        );
      }
      return workspaceId;
    };
    const stateOf = async (workspaceId: string) => {
      const all = (sql: string) => service.database.all<Record<string, unknown>>(sql, [workspaceId]);
      return {
        bodies: (await eventsOf(service, workspaceId)).map(({ body }) => body),
        deliveries: await all('SELECT status, reason FROM deliveries WHERE workspace_id = $1 ORDER BY id'),
        responses: (
          await all(`SELECT response_body FROM delivery_attempts JOIN deliveries ON id = delivery_id
            WHERE workspace_id = $1 ORDER BY id`)
        ).map(({ response_body }) => response_body),
        transcripts: (
          await all(`SELECT subject_id FROM event_transcripts JOIN events ON id = event_id WHERE workspace_id = $1`)
        ).map(({ subject_id }) => subject_id),
      };
    };
    const pending = { status: 'pending', reason: null };

    it('contain less after it was redacted, and are still sent', async () => {
      const workspaceId = await prepared();
      const before = await stateOf(workspaceId);
      await service.database.transaction((queries) =>
        service.webhooks.events.redactCall(queries, workspaceId, 'call_1', (body) =>
          body.type === 'call_started' ? null : { ...body, data: { ...body.data, call: { id: 'call_1' } } },
        ),
      );
      const state = await stateOf(workspaceId);
      const [first, second, third] = state.bodies;
      assert.equal(first, null);
      assert.deepEqual(JSON.parse(second as string).data, {
        call: { id: 'call_1' },
        transcript: null,
        omitted: [],
      });
      assert.equal(third, before.bodies[2]);
      assert.deepEqual(state.deliveries, [pending, pending, pending]);
      assert.deepEqual(state.responses, [null, null, 'who was it?']);
      assert.deepEqual(state.transcripts, ['call_2']);
    });

    it('contain nothing after it was deleted, and only the last one is still sent', async () => {
      const workspaceId = await prepared();
      await service.database.transaction(async (queries) => {
        await service.webhooks.events.clearCall(queries, workspaceId, 'call_1');
        await service.webhooks.events.write(queries, {
          ...agentEvent(workspaceId, 'agt_1'),
          type: 'call_deleted',
          subjectId: 'call_1',
          sequence: 3,
          data: { callId: 'call_1', level: 'deleted' },
        });
      });
      const state = await stateOf(workspaceId);
      assert.deepEqual(
        state.bodies.map((body) => body === null),
        [true, true, false, false],
      );
      const removed = { status: 'skipped', reason: 'content_removed' };
      assert.deepEqual(state.deliveries, [removed, removed, pending, pending]);
      assert.deepEqual(state.responses, [null, null, 'who was it?']);
      assert.deepEqual(state.transcripts, ['call_2']);
    });
  });
});

describe('positions of events on PostgreSQL', onPostgres, () => {
  const engine = postgresEngine();

  it('are in the order of commits, whichever transaction started or wrote first', async () => {
    const service = await startEventService(engine);
    const { workspaceId } = await service.newKey();
    const written = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const slow = service.database.transaction(async (queries) => {
      const id = await service.webhooks.events.write(queries, callEvent(workspaceId));
      written.resolve();
      await mayCommit.promise;
      return id;
    });
    await written.promise;
    // It does not wait for the one before.
    const fast = await write(service, callEvent(workspaceId, { sequence: 2 }));
    assert.deepEqual(
      (await eventsOf(service, workspaceId)).map(({ id }) => id),
      [fast],
    );
    mayCommit.resolve();
    const ids = [fast, await slow];
    assert.deepEqual(
      (await eventsOf(service, workspaceId)).map(({ id }) => id),
      ids,
    );
    await service.close();
  });

  it('never appear before an earlier one, so that a reader who continues after the last misses none', async (context) => {
    const service = await startEventService(engine);
    context.after(() => service.close());
    const { workspaceId } = await service.newKey();
    const seen: number[] = [];
    let isDone = false;
    const reading = (async () => {
      for (let wasDone = false; !wasDone; ) {
        // Only a query that starts after the last commit is sure to find everything.
        wasDone = isDone;
        const rows = await service.database.all<{ position: number }>(
          'SELECT position FROM events WHERE workspace_id = $1 AND position > $2 ORDER BY position',
          [workspaceId, seen.at(-1) ?? 0],
        );
        seen.push(...rows.map(({ position }) => position));
      }
    })();
    // As many as have a connection, so that none waits for one for too long on a busy machine.
    const sequences = Array.from({ length: 200 }, (_, index) => index + 1);
    const writer = async () => {
      for (let sequence = sequences.shift(); sequence !== undefined; sequence = sequences.shift()) {
        await write(service, callEvent(workspaceId, { sequence }));
      }
    };
    try {
      await Promise.all(Array.from({ length: 8 }, writer));
    } finally {
      isDone = true;
    }
    await reading;
    assert.deepEqual(
      seen,
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
  });
});
