import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { storedAgents } from '../../src/areas/agents/store.ts';
import { storedAnalyses } from '../../src/areas/analysis/store.ts';
import { storedEntries } from '../../src/areas/audit/store.ts';
import { storedCalls } from '../../src/areas/calls/record/call-row.ts';
import { storedWebhooks } from '../../src/areas/webhooks/store.ts';
import type { Database } from '../../src/storage/database.ts';
import { createDocumentKind, type Upgrade } from '../../src/storage/documents/document-kind.ts';
import { createRewriting } from '../../src/storage/documents/rewriting.ts';
import { createDocumentKinds } from '../../src/storage/documents/upgrades.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { allRows, backUpToBytes, restoreBytes } from '../backup/support.ts';
import { dataKey, type Names, openRelease } from '../releases/releases.ts';
import { send } from '../support/client.ts';
import { type Engine, onEachEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';

/** Counts how often it was applied, to tell an upgraded document from one that was upgraded twice. */
const addShape: Upgrade = (document) => ({ ...document, shape: Number(document.shape ?? 1) + 1 });

/** Each kind has one more version than in the release. */
const nextDocuments = createDocumentKinds({
  agent: [addShape],
  call: [addShape],
  turn: [addShape],
  callEvent: [addShape],
  analysis: [addShape],
  webhook: [addShape],
  eventBody: [addShape],
  auditEntry: [addShape],
});

const release = '0.1.0';
const hourMs = 3_600_000;
const rewrittenTables = [
  ...['agents', 'agent_versions', 'calls', 'call_turns', 'call_events'],
  ...['call_agents', 'call_analyses', 'webhooks', 'audit_log'],
];

/** The version of a table's documents after all upgrades: one, and one for each. */
function newestIn(table: string): number {
  if (table === 'calls') return nextDocuments.call.version;
  return table === 'call_turns' ? nextDocuments.turn.version : 2;
}

/** Sent again byte for byte, or read by the service only and soon removed. */
const withoutVersion = ['idempotency_keys', 'event_transcripts', 'request_figures'];

interface Opened {
  readonly names: Names;
  readonly databaseUrl: string;
  /** A process of this release, or of one with the next documents. */
  start(isNext: boolean): Promise<Service>;
}

async function open(engine: Engine, context: TestContext): Promise<Opened> {
  const { databaseUrl, names } = await openRelease(engine, release);
  const start = async (isNext: boolean) => {
    const service = await startService(engine, {
      databaseUrl,
      dataKeys: [dataKey],
      webhookSending: {},
      // The clock stands still, so that no delivery is tried again, which would change its webhook.
      now: () => names.madeAt,
      ...(isNext && { open: (location) => openDatabase(location, () => {}, { documents: nextDocuments }) }),
    });
    let closed: Promise<void> | undefined;
    const close = () => (closed ??= service.close());
    context.after(close);
    return { ...service, close };
  };
  return { names, databaseUrl, start };
}

interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly retryAfter: string | null;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the fields they read.
  readonly json: any;
}

/** Without a check against the contract, which does not know the documents of the next release. */
async function request(service: Service, names: Names, method: string, path: string, body?: object, headers = {}) {
  const response = await fetch(`${service.url}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${names.key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: Answer = {
    status: response.status,
    etag: response.headers.get('etag'),
    retryAfter: response.headers.get('retry-after'),
    text,
    json: JSON.parse(text),
  };
  return answer;
}

type Document = Record<string, unknown> & { readonly shape?: number };

/** Every way to read documents, and the documents in the response. */
const reads: readonly [path: (names: Names) => string, documents: (json: Answer['json']) => Document[]][] = [
  [({ agentId }) => `agents/${agentId}`, (json) => [json]],
  [() => 'agents', ({ items }) => items],
  [() => 'agents?q=reception', ({ items }) => items],
  [({ agentId }) => `agents/${agentId}/versions`, ({ items }) => items],
  [({ agentId }) => `agents/${agentId}/versions/1`, (json) => [json]],
  [({ agentId }) => `agents/${agentId}/versions/published`, (json) => [json]],
  [({ callId }) => `calls/${callId}`, (json) => [json]],
  [() => 'calls', ({ items }) => items],
  [() => 'calls?type=chat', ({ items }) => items],
  [({ toolCallId }) => `calls/${toolCallId}/transcript`, ({ turns }) => turns],
  [({ callId }) => `calls/${callId}/events`, ({ items }) => items],
  [({ callId }) => `calls/${callId}/events`, ({ items }) => turnsIn(items)],
  [({ callId }) => `calls/${callId}/analyses`, ({ items }) => items],
  [({ webhookId }) => `webhooks/${webhookId}`, (json) => [json]],
  [() => 'webhooks', ({ items }) => items],
  [() => 'events?limit=200', ({ items }) => bodiesIn(items)],
  [({ eventId }) => `events/${eventId}`, ({ body }) => [body]],
  [() => 'audit-log?limit=20', ({ items }) => items],
  [() => 'audit-log?routeId=agents.publish', ({ items }) => items],
];

function turnsIn(events: readonly { readonly data: { readonly turn?: Document } }[]): Document[] {
  return events.flatMap(({ data: { turn } }) => (turn === undefined ? [] : [turn]));
}

/** Those of deleted calls have none. */
function bodiesIn(events: readonly { readonly body: Document | null }[]): Document[] {
  return events.flatMap(({ body }) => (body === null ? [] : [body]));
}

async function readAll(service: Service, names: Names): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [path] of reads) answers.push(await request(service, names, 'GET', path(names)));
  return answers;
}

function assertShape(answers: readonly Answer[], shape: number): void {
  for (const [index, [path, documents]] of reads.entries()) {
    const { status, json, text } = answers[index] as Answer;
    assert.equal(status, 200, text);
    const shapes = documents(json).map((document) => document.shape ?? 1);
    assert.deepEqual([...new Set(shapes)], [shape], path.toString());
  }
}

function storedIn(database: Database) {
  return [storedAgents, storedCalls, storedAnalyses, storedWebhooks, storedEntries].flatMap((list) => list(database));
}

/** The versions that the rows of a table have, from the lowest. */
async function versionsIn(database: Database, table: string, column = 'doc_version'): Promise<number[]> {
  const rows = await database.all<{ version: number }>(`SELECT DISTINCT ${column} AS version FROM ${table} ORDER BY 1`);
  return rows.map(({ version }) => version);
}

async function rewriteAll(database: Database): Promise<void> {
  let time = 0;
  const rewrite = createRewriting(database, () => time, storedIn(database));
  time = hourMs;
  while (await rewrite());
}

onEachEngine('stored documents', (engine) => {
  it('are upgraded when they are read, one by one and in lists, and stay as they are stored', async (context) => {
    const { names, start } = await open(engine, context);
    const service = await start(true);
    assertShape(await readAll(service, names), 2);
    for (const table of rewrittenTables) assert.deepEqual(await versionsIn(service.database, table), [1], table);
  });

  it('have a version in every table, and are rewritten unless they are sent as they are', async (context) => {
    const { start } = await open(engine, context);
    const { database } = await start(true);
    const rewritten = storedIn(database).map(({ table }) => table);
    assert.deepEqual(rewritten.toSorted(), rewrittenTables.toSorted());
    for (const { name: table } of await database.all<{ name: string }>(database.dialect.tableNames)) {
      if (withoutVersion.includes(table)) continue;
      const columns = Object.keys((await database.get(`SELECT * FROM ${table} LIMIT 1`)) ?? {});
      for (const column of columns.filter((name) => ['doc', 'event_doc', 'body'].includes(name))) {
        assert.ok(columns.includes(`${column}_version`), `${table}.${column}`);
        assert.ok(column !== 'doc' || rewritten.includes(table), table);
      }
    }
  });

  it('have the ETag of the upgraded bytes, and are written in the new version', async (context) => {
    const { names, start } = await open(engine, context);
    const service = await start(true);
    const path = `calls/${names.callId}`;
    const before = await request(service, names, 'GET', path);
    const body = { metadata: { page: '/upgraded' } };
    const wrong = await request(service, names, 'PATCH', path, body, { 'if-match': '"other"' });
    assert.equal(wrong.json.error.details.currentEtag, before.etag);
    const changed = await request(service, names, 'PATCH', path, body, { 'if-match': before.etag });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual([changed.json.shape, changed.json.metadata], [2, body.metadata]);
    assert.deepEqual(await versionsIn(service.database, 'calls'), [1, newestIn('calls')]);
    const { json } = await request(service, names, 'GET', 'calls');
    assert.deepEqual([...new Set(json.items.map(({ shape }: Document) => shape))], [2], 'a page with both versions');
    const read = await request(service, names, 'GET', path);
    assert.deepEqual([read.text, read.etag], [changed.text, changed.etag]);
  });

  it('are rewritten in the background after an hour, without a difference for clients', async (context) => {
    const { names, start } = await open(engine, context);
    const service = await start(true);
    const { database } = service;
    const before = await readAll(service, names);
    const newest = await database.get<{ id: string }>('SELECT max(id) AS id FROM webhooks');
    await database.run('UPDATE webhooks SET doc_version = 3 WHERE id = $1', [newest?.id ?? '']);
    let time = 0;
    const rewrite = createRewriting(database, () => time, storedIn(database));
    time = hourMs - 1;
    assert.equal(await rewrite(), false);
    assert.deepEqual(await versionsIn(database, 'calls'), [1]);
    time = hourMs;
    while (await rewrite());
    for (const table of rewrittenTables) {
      const expected = table === 'webhooks' ? [2, 3] : [newestIn(table)];
      assert.deepEqual(await versionsIn(database, table), expected, table);
    }
    // Deliveries send the bytes that they were created with.
    assert.deepEqual(await versionsIn(database, 'events', 'body_version'), [1]);
    await database.run('UPDATE webhooks SET doc_version = 1 WHERE id = $1', [newest?.id ?? '']);
    assert.deepEqual(await readAll(service, names), before);
  });

  it('are rewritten by several processes, which continue each other’s work', async (context) => {
    const { names, start } = await open(engine, context);
    const service = await start(true);
    const { database } = service;
    const entry = await database.get<{ doc: string }>('SELECT doc FROM audit_log LIMIT 1');
    for (let number = 0; number < 250; number += 1) {
      const id = `aud_${String(number).padStart(30, '0')}`;
      await database.run('INSERT INTO audit_log (workspace_id, id, resource_id, doc) VALUES ($1, $2, $3, $4)', [
        names.workspaceId,
        id,
        id,
        entry?.doc ?? '',
      ]);
    }
    let time = 0;
    const ofProcess = () => createRewriting(database, () => time, storedEntries(database));
    const [first, second, third] = [ofProcess(), ofProcess(), ofProcess()];
    time = hourMs;
    assert.equal(await first(), true);
    assert.deepEqual(await versionsIn(database, 'audit_log'), [1, 2]);
    const finish = async (rewrite: () => Promise<boolean>) => {
      while (await rewrite());
    };
    await Promise.all([finish(second), finish(third)]);
    assert.deepEqual(await versionsIn(database, 'audit_log'), [2]);
  });

  it('of a newer version are read as they are', async (context) => {
    const { names, start } = await open(engine, context);
    const next = await start(true);
    const before = await readAll(next, names);
    await rewriteAll(next.database);
    await next.close();
    const service = await start(false);
    const answers = await readAll(service, names);
    for (const [index, { status, text, etag }] of answers.entries()) {
      const [path] = reads[index] as (typeof reads)[number];
      // The events of turns, and what is sent to webhooks, are not rewritten.
      if (path(names).includes('events')) assert.equal(status, 200);
      else assert.deepEqual([text, etag], [before[index]?.text, before[index]?.etag], path.toString());
    }
  });

  it('of a newer version are never written: a change gets 409 with Retry-After', async (context) => {
    const { names, start, databaseUrl } = await open(engine, context);
    const next = await start(true);
    await rewriteAll(next.database);
    await next.database.run('UPDATE events SET body_version = 2');
    await next.close();
    const service = await start(false);
    const { agentId, callId, openCallId, webhookId } = names;
    const documents = async () => {
      const { agents, agent_versions, calls, call_turns, call_events, call_analyses, webhooks } =
        await allRows(databaseUrl);
      return { agents, agent_versions, calls, call_turns, call_events, call_analyses, webhooks };
    };
    const before = await documents();
    const changes: readonly [method: string, path: string, body?: object][] = [
      ['PATCH', `agents/${agentId}`, { name: 'New' }],
      ['POST', `agents/${agentId}/publish`, {}],
      ['POST', `agents/${agentId}/duplicate`, {}],
      ['POST', `agents/${agentId}/versions/1/restore`, {}],
      ['DELETE', `agents/${agentId}`],
      ['PATCH', `calls/${callId}`, { metadata: {} }],
      ['POST', `calls/${callId}/redact`, { to: 'basic_attributes_only' }],
      ['POST', `calls/${callId}/analysis`, {}],
      ['DELETE', `calls/${callId}`],
      ['POST', `calls/${openCallId}/messages`, { text: 'hello' }],
      ['POST', `calls/${openCallId}/end`, {}],
      ['PATCH', `webhooks/${webhookId}`, { description: 'new' }],
      ['POST', `webhooks/${webhookId}/rotate-secret`, {}],
      ['DELETE', `webhooks/${webhookId}`],
    ];
    for (const [method, path, body] of changes) {
      const { status, json, retryAfter } = await send(service, method, `/api/v1/${path}`, {
        key: names.key,
        ...(body !== undefined && { body }),
      }).then(({ headers, ...answer }) => ({ ...answer, retryAfter: headers.get('retry-after') }));
      const { code, details } = json.error ?? {};
      assert.deepEqual(
        [status, code, details?.reason, Number(retryAfter) > 0],
        [409, 'STATE_CONFLICT', 'upgrade_in_progress', true],
        `${method} ${path}: ${JSON.stringify(json)}`,
      );
    }
    assert.deepEqual(await documents(), before);
  });

  it('of a newer version can still be used: for calls, and for deliveries', async (context) => {
    const { names, start } = await open(engine, context);
    const next = await start(true);
    await rewriteAll(next.database);
    await next.close();
    const service = await start(false);
    const { database } = service;
    const created = await request(service, names, 'POST', 'calls', { type: 'chat', agentId: names.agentId });
    assert.equal(created.status, 201, created.text);
    const pinned = await database.get<{ doc: string; doc_version: number }>(
      `SELECT call_agents.doc, call_agents.doc_version FROM call_agents JOIN calls
        ON calls.workspace_id = call_agents.workspace_id AND agent_digest = digest WHERE calls.id = $1`,
      [created.json.id],
    );
    assert.deepEqual([pinned?.doc_version, JSON.parse(pinned?.doc ?? '{}').shape], [2, 2]);
    const { webhookId, deliveryId } = names;
    const stored = () => database.get('SELECT doc, doc_version, etag FROM webhooks WHERE id = $1', [webhookId]);
    const before = await stored();
    const path = `webhooks/${webhookId}/deliveries`;
    const resent = await request(service, names, 'POST', `${path}/${deliveryId}/resend`, {});
    assert.equal(resent.status, 201, resent.text);
    await eventually(async () => {
      const { json } = await request(service, names, 'GET', `${path}/${resent.json.id}`);
      return json.attempts.length === 1 && json.attempts[0].outcome !== 'succeeded';
    });
    assert.deepEqual(await stored(), before);
  });

  it('keep their versions in a backup', async (context) => {
    const { names, start, databaseUrl } = await open(engine, context);
    const next = await start(true);
    await request(next, names, 'PATCH', `calls/${names.callId}`, { metadata: {} });
    await next.close();
    const restoredUrl = await engine.newDatabaseUrl();
    await restoreBytes(restoredUrl, (await backUpToBytes(databaseUrl)).bytes);
    const { calls } = await allRows(restoredUrl);
    assert.deepEqual(new Set(calls?.map(({ doc_version }) => doc_version)), new Set([1, newestIn('calls')]));
    assert.deepEqual(await allRows(restoredUrl), await allRows(databaseUrl));
  });
});

describe('a kind of document', () => {
  const kind = createDocumentKind('note', [
    ({ text, ...rest }) => ({ ...rest, lines: [text] }),
    ({ lines, ...rest }) => ({ ...rest, lines, count: (lines as string[]).length }),
  ]);

  it('has a version for each upgrade, which are applied in order from that of the document', () => {
    assert.equal(kind.version, 3);
    assert.equal(kind.current('{"text":"a"}', 1), '{"lines":["a"],"count":1}');
    assert.equal(kind.current('{"lines":["a","b"]}', 2), '{"lines":["a","b"],"count":2}');
  });

  it('leaves the bytes of current and newer documents as they are', () => {
    for (const version of [3, 4]) assert.equal(kind.current('{ "lines": [] }', version), '{ "lines": [] }');
    assert.equal(kind.currentItems('{ "lines": [] }', 3), '{ "lines": [] }');
  });
});
