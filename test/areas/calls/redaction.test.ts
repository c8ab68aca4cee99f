import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAgentRemoval } from '../../../src/areas/calls/lifecycle/agent-removal.ts';
import type { Row } from '../../../src/storage/database.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { bodyOf, eventsOf } from '../webhooks/support.ts';
import { eventually, newChat, on, quickSweep, TestClock } from './support.ts';

const phone = '+81 3-1234-5678';
const mail = 'hanako@example.com';
/** Everywhere a caller or a partner can put content. */
const planted = {
  variables: { contact: phone, seats: 2 },
  metadata: { note: `mail ${mail}`, page: '/booking' },
  externalId: 'visit-1',
};
const keyed = { 'idempotency-key': 'message' };

onEachEngine('what is stored of a call', (engine) => {
  const clock = new TestClock();
  const service = useService(engine, { now: clock.now, calls: quickSweep });

  const tables = [
    'calls',
    'call_turns',
    'call_events',
    'idempotency_keys',
    'events',
    'event_transcripts',
    'audit_log',
    'deliveries',
    'jobs',
  ];
  /** Every byte in the tables that may contain something of a call. */
  const storedBytes = async (): Promise<string> => {
    const rows: Row[] = [];
    for (const table of tables) rows.push(...(await service.database.all(`SELECT * FROM ${table}`)));
    const plain = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value);
    return rows.map((row) => JSON.stringify(Object.values(row).map(plain))).join('\n');
  };
  const containsContent = async () => {
    const bytes = await storedBytes();
    return [phone, mail].filter((content) => bytes.includes(content));
  };
  const statesOf = (id: string) =>
    service.database.all<{ state: string | null; sealed_state: Uint8Array | null }>(
      'SELECT state, sealed_state FROM calls WHERE id = $1 AND (state IS NOT NULL OR sealed_state IS NOT NULL)',
      [id],
    );
  const chatWith = async (dataStorageSetting: string, agent: object = {}) => {
    const { key, workspaceId } = await service.newKey();
    const made = await newChat(service, key, { agent, call: { ...planted, dataStorageSetting } });
    return { ...on(service, key, made.id), key, workspaceId, made };
  };
  const message = `My number is ${phone}, or ${mail}.`;

  it('is everything, with everything', async () => {
    const chat = await chatWith('everything');
    await chat.say(message, keyed);
    await chat.end();
    const call = await chat.call();
    assert.deepEqual([call.variables, call.metadata], [planted.variables, planted.metadata]);
    assert.equal((await chat.turns())[0]?.text, message);
    assert.equal((await chat.say(message, keyed)).headers.get('idempotent-replayed'), 'true');
    await chat.delete();
  });

  it('is redacted before the first write, with everything_except_pii', async () => {
    const chat = await chatWith('everything_except_pii');
    assert.deepEqual(
      [chat.made.variables, chat.made.metadata, chat.made.externalId],
      [{ contact: '[PHONE_NUMBER]', seats: 2 }, { note: 'mail [EMAIL]', page: '/booking' }, 'visit-1'],
    );
    assert.deepEqual(await containsContent(), []);
    const answer = await chat.say(message, keyed);
    assert.equal(answer.json.turns[1].text, message, 'in transit');
    await chat.control({ action: 'say', text: `Write to ${mail}.` });
    await chat.control({ action: 'add_context', text: `Also ${phone}` });
    await chat.control({ action: 'set_variables', variables: { reply: mail } });
    await chat.patch({ metadata: { more: phone } });
    assert.deepEqual(await containsContent(), [], 'while the call is open');
    const [state] = await statesOf(chat.id);
    assert.ok(state?.state === null && state.sealed_state !== null);
    const redacted = 'My number is [PHONE_NUMBER], or [EMAIL].';
    assert.deepEqual(
      (await chat.turns()).map(({ text }) => text),
      [redacted, redacted, 'Write to [EMAIL].'],
    );
    assert.doesNotMatch(JSON.stringify(await chat.events()), /hanako|1234/);
    const warnings = (await chat.events()).filter(({ type }) => type === 'warning');
    assert.deepEqual(
      warnings.map(({ data }) => ('code' in data ? data.code : '')),
      ['redaction_is_partial'],
    );
    const { collectedVariables, metadata } = (await chat.end()).json;
    assert.deepEqual([collectedVariables, metadata.more], [{ reply: '[EMAIL]' }, '[PHONE_NUMBER]']);
    assert.deepEqual(await statesOf(chat.id), [], 'the working state ends with the call');
    assert.deepEqual(await containsContent(), []);
    assert.doesNotMatch(JSON.stringify(service.log), /hanako|1234-5678/);
  });

  it('is the bare facts, with basic_attributes_only', async () => {
    const chat = await chatWith('basic_attributes_only');
    assert.deepEqual([chat.made.variables, chat.made.metadata, chat.made.externalId], [{}, {}, 'visit-1']);
    assert.equal(chat.made.transcriptStatus, 'not_stored');
    await chat.say(message, keyed);
    await chat.control({ action: 'set_variables', variables: { reply: mail } });
    const meanwhile = await chat.transcript();
    assert.deepEqual([meanwhile.status, meanwhile.json.error.details], [404, { reason: 'not_stored' }]);
    assert.deepEqual(await containsContent(), []);
    const refused = await chat.patch({ metadata: { a: 1 } });
    assert.deepEqual([refused.status, Object.keys(refused.json.error.details.fieldErrors)], [422, ['metadata']]);
    assert.equal((await chat.patch({ externalId: 'visit-2' })).json.externalId, 'visit-2');
    const { json } = await chat.end();
    assert.deepEqual(
      [json.collectedVariables, json.metadata, json.transcriptStatus, json.latency.turns],
      [{}, {}, 'not_stored', 1],
    );
    const { status, reason } = json.analysis;
    assert.deepEqual([status, reason], ['skipped', 'data_storage_setting']);
    const events = await chat.events();
    assert.deepEqual(
      events.map(({ type, sequence }) => [sequence, type]),
      [
        [1, 'state_changed'],
        [2, 'state_changed'],
        [3, 'control_applied'],
        [4, 'state_changed'],
      ],
    );
    const turns = await service.database.all<{ latency: string | null; doc: string | null }>(
      'SELECT latency, doc FROM call_turns WHERE call_id = $1 ORDER BY turn_index',
      [chat.id],
    );
    assert.deepEqual(
      turns.map(({ latency, doc }) => [latency === null, doc]),
      [
        [true, null],
        [false, null],
      ],
    );
    assert.deepEqual(await containsContent(), []);
  });

  it('is reduced by a redaction, in every copy', async () => {
    const agent = { webhookUrl: 'https://shop.example.com/', webhookEvents: ['call_started', 'call_ended'] };
    const chat = await chatWith('everything', agent);
    await chat.say(message, keyed);
    const open = await chat.redact('everything_except_pii');
    assert.deepEqual(
      [open.status, open.json.error.details],
      [409, { status: 'ongoing', allowed: ['ended', 'not_connected', 'error'], reason: null }],
    );
    await chat.end();
    assert.equal((await containsContent()).length, 2);
    clock.advance(5000);
    const before = await chat.get();
    const { status, json, headers } = await chat.redact('everything_except_pii');
    assert.equal(status, 200);
    assert.deepEqual(
      [json.dataStorageSetting, json.variables.contact, json.metadata.note, json.transcriptStatus],
      ['everything_except_pii', '[PHONE_NUMBER]', 'mail [EMAIL]', 'available'],
    );
    assert.ok(json.updatedAt > before.json.updatedAt);
    assert.notEqual(headers.get('etag'), before.headers.get('etag'));
    assert.deepEqual(await containsContent(), []);
    assert.match((await chat.turns())[0]?.text ?? '', /\[PHONE_NUMBER\]/);
    const warned = await chat.events();
    assert.deepEqual(
      warned.map(({ sequence }) => sequence),
      warned.map((_, place) => place + 1),
    );
    const [warning, end] = warned.slice(-2);
    assert.deepEqual(
      [warning?.type, warning && 'code' in warning.data && warning.data.code, warning?.at, end?.type],
      ['warning', 'redaction_is_partial', json.endedAt, 'state_changed'],
    );
    assert.equal((await chat.eventPage(`?limit=${warned.length}`)).json.pagination.nextCursor, null);
    const same = await chat.redact('everything_except_pii');
    assert.deepEqual([same.status, same.json], [200, json]);
    const deeper = await chat.redact('basic_attributes_only');
    assert.deepEqual([deeper.json.transcriptStatus, deeper.json.variables, deeper.json.metadata], ['deleted', {}, {}]);
    const gone = await chat.transcript();
    assert.deepEqual([gone.status, gone.json.error.details], [404, { reason: 'deleted' }]);
    const events = await chat.events();
    assert.deepEqual(
      events.map(({ sequence, type }) => [sequence, type]),
      [
        [1, 'state_changed'],
        [2, 'state_changed'],
        [3, 'state_changed'],
      ],
    );
    assert.equal((await chat.eventPage('?limit=3')).json.pagination.nextCursor, null);
    const looser = await chat.redact('everything_except_pii');
    assert.deepEqual([looser.status, Object.keys(looser.json.error.details.fieldErrors)], [422, ['to']]);
    for (const to of ['everything', 'nothing']) assert.equal((await chat.redact(to)).status, 400);
    const stored = await eventsOf(service, chat.workspaceId);
    const levels = stored.filter(({ type }) => type === 'call_deleted');
    assert.deepEqual(
      levels.map((row) => bodyOf(row).data),
      [
        { callId: chat.id, level: 'everything_except_pii' },
        { callId: chat.id, level: 'basic_attributes_only' },
      ],
    );
  });

  it('is nothing after a deletion', async () => {
    const chat = await chatWith('everything');
    await chat.say(message, keyed);
    const open = await chat.delete();
    assert.deepEqual([open.status, open.json.error.details.status], [409, 'ongoing']);
    await chat.end();
    const { status, json } = await chat.delete();
    assert.deepEqual([status, json], [200, { id: chat.id, deleted: true }]);
    const missing = [chat.get(), chat.delete(), chat.transcript(), chat.recording(), chat.eventPage(), chat.end()];
    for (const answer of await Promise.all(missing)) assert.equal(answer.status, 404);
    assert.deepEqual((await send(service, 'GET', '/api/v1/calls', { key: chat.key })).json.items, []);
    assert.deepEqual(await containsContent(), []);
    for (const table of ['call_turns', 'call_events']) {
      const rows = await service.database.all(`SELECT 1 FROM ${table} WHERE call_id = $1`, [chat.id]);
      assert.equal(rows.length, 0, table);
    }
    const events = await eventsOf(service, chat.workspaceId);
    assert.deepEqual(
      events.map(({ type, body }) => [type, body === null]),
      [
        ['call_started', true],
        ['call_ended', true],
        ['call_analyzed', true],
        ['call_deleted', false],
      ],
    );
    const { json: audit } = await send(service, 'GET', '/api/v1/audit-log', { key: chat.key });
    assert.equal(audit.items[0].resourceId, chat.id, 'the record of the deletion remains');
  });

  it('is deleted automatically, that many days after the end as the agent says', async () => {
    const chat = await chatWith('everything', { agentSettings: { calls: { retentionDays: 2 } } });
    await chat.say(message);
    await chat.end();
    clock.advance(2 * 24 * 3_600_000 - 5000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await chat.get()).status, 200);
    clock.advance(5001);
    await eventually(async () => (await chat.get()).status === 404);
    const events = await eventsOf(service, chat.workspaceId);
    assert.deepEqual(bodyOf(events.at(-1)).data, { callId: chat.id, level: 'deleted' });
    assert.deepEqual(await containsContent(), []);
  });

  it('of the version it is pinned to is enough to report a deletion to the agent’s webhook, long afterwards', async () => {
    const agent = { webhookUrl: 'https://shop.example.com/hooks', webhookEvents: ['call_deleted'] };
    const [reported, unreported] = [await chatWith('everything', agent), await chatWith('everything')];
    for (const chat of [reported, unreported]) {
      await chat.end();
      const path = `/api/v1/agents/${chat.made.agentId}`;
      assert.equal((await send(service, 'DELETE', path, { key: chat.key })).status, 200);
    }
    // The task that runs every ten minutes.
    await createAgentRemoval(service.database)();
    const rows = await service.database.all('SELECT 1 FROM call_agents WHERE workspace_id IN ($1, $2)', [
      reported.workspaceId,
      unreported.workspaceId,
    ]);
    assert.equal(rows.length, 1);
    await reported.delete();
    const deliveries = await service.database.all<{ url: string; status: string }>(
      "SELECT url, status FROM deliveries WHERE workspace_id = $1 AND event_type = 'call_deleted'",
      [reported.workspaceId],
    );
    assert.deepEqual(
      deliveries.map(({ url, status }) => [url, status]),
      [[agent.webhookUrl, 'pending']],
    );
    await createAgentRemoval(service.database)();
    const left = await service.database.all('SELECT 1 FROM call_agents WHERE workspace_id = $1', [
      reported.workspaceId,
    ]);
    assert.equal(left.length, 0);
  });

  it('changes only if the call is the one that was read', async () => {
    const chat = await chatWith('everything');
    const old = (await chat.get()).headers.get('etag') as string;
    const ended = await chat.end({ 'if-match': old });
    assert.equal(ended.status, 200);
    const current = ended.headers.get('etag') as string;
    assert.notEqual(current, old);
    const stale = { 'if-match': old };
    for (const answer of [
      await chat.patch({ externalId: 'x' }, stale),
      await chat.end(stale),
      await chat.redact('basic_attributes_only', stale),
      await chat.delete(stale),
    ]) {
      assert.deepEqual([answer.status, answer.json.error.code], [409, 'VERSION_CONFLICT']);
      assert.equal(answer.json.error.details.currentEtag, current);
    }
    const patched = await chat.patch({ externalId: 'x' }, { 'if-match': `"other", ${current}` });
    assert.equal(patched.status, 200);
    const redacted = await chat.redact('basic_attributes_only', { 'if-match': String(patched.headers.get('etag')) });
    assert.equal(redacted.status, 200);
    assert.equal((await chat.delete({ 'if-match': '*' })).status, 200);
  });
});
