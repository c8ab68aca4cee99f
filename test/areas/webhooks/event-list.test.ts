import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Validator } from '@cfworker/json-schema';
import { eventTypes } from '../../../src/contract/webhooks/event-types.ts';
import { eventBodies } from '../../../src/contract/webhooks/events.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { newWorkspace, type SendingService, startSendingService, type Workspace } from './receiving.ts';
import { callEvent, write } from './support.ts';

interface Item {
  readonly id: string;
  readonly type: string;
  readonly body: unknown;
}

onEachEngine('the list of events', (engine) => {
  let service: SendingService;
  before(async () => {
    service = await startSendingService(engine);
  });
  after(() => service.close());

  /** A call that was deleted, so that its body needs no complete call. */
  const writeOne = ({ workspaceId }: Workspace, id: string) =>
    write(service, {
      ...callEvent(workspaceId, { subjectId: id }),
      type: 'call_deleted',
      data: { callId: id, level: 'deleted' },
      transcript: undefined as never,
    });
  const idsOf = ({ items }: { items: Item[] }) => items.map(({ id }) => id);

  it('is in the order of commits, newest first or oldest first, page by page', async () => {
    const workspace = await newWorkspace(service);
    const written: string[] = [];
    for (let index = 0; index < 5; index += 1) written.push(await writeOne(workspace, `call_${index}`));
    const page = await workspace.get('/events?limit=2');
    assert.deepEqual(idsOf(page), [written[4], written[3]]);
    const next = await workspace.get(`/events?limit=3&cursor=${page.pagination.nextCursor}`);
    assert.deepEqual(idsOf(next), [written[2], written[1], written[0]]);
    assert.equal(next.pagination.nextCursor, null);
    assert.deepEqual(idsOf(await workspace.get('/events?order=asc')), written);
    assert.deepEqual(idsOf(await workspace.get('/events?subjectId=call_3')), [written[3]]);
    assert.deepEqual(idsOf(await workspace.get('/events?type=call_started,call_ended')), []);
    assert.equal((await workspace.get('/events?type=call_deleted')).items.length, 5);
    const event = await workspace.get(`/events/${written[0]}`);
    assert.deepEqual(event, (await workspace.get('/events?order=asc&limit=1')).items[0]);
    assert.deepEqual((await newWorkspace(service).then(({ get }) => get('/events'))).items, []);
  });

  it('oldest first never ends, and its cursor continues without gaps or repetitions', async () => {
    const workspace = await newWorkspace(service);
    const seen: string[] = [];
    let cursor: string | null = null;
    const read = async (query = '') => {
      const place: string = cursor === null ? 'order=asc' : `cursor=${cursor}`;
      const page = await workspace.get(`/events?${place}${query}`);
      cursor = page.pagination.nextCursor;
      seen.push(...idsOf(page));
      return page;
    };
    assert.deepEqual((await read()).items, []);
    assert.ok(cursor !== null);
    const written: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      written.push(await writeOne(workspace, `call_${index}`));
      if (index % 3 === 0) await read('&limit=2');
    }
    while ((await read('&limit=2')).items.length > 0);
    assert.deepEqual(seen, written);
    // The retention has removed everything that the cursor had not come to.
    const kept = await writeOne(workspace, 'call_kept');
    await service.database.run('DELETE FROM events WHERE workspace_id = $1 AND id <> $2', [
      workspace.workspaceId,
      kept,
    ]);
    assert.deepEqual(idsOf(await read()), [kept]);
  });

  it('waits for the next event, and ends with createdBefore', async () => {
    const workspace = await newWorkspace(service);
    const waiting = workspace.get('/events?order=asc&waitSeconds=20');
    const id = await writeOne(workspace, 'call_1');
    assert.deepEqual(idsOf(await waiting), [id]);
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const ended = await workspace.get(`/events?order=asc&waitSeconds=20&createdBefore=${end}`);
    assert.deepEqual([ended.items.length, ended.pagination.nextCursor], [1, null]);
    const { key } = workspace;
    const refused = await send(service, 'GET', '/api/v1/events?waitSeconds=1', { key });
    assert.equal(refused.status, 400);
    assert.deepEqual(Object.keys(refused.json.error.details.fieldErrors), ['waitSeconds']);
  });

  it('lets ten requests of a key wait at a time', async () => {
    const workspace = await newWorkspace(service);
    const answers: number[] = [];
    const waiting = Array.from({ length: 11 }, async () => {
      const answer = await send(service, 'GET', '/api/v1/events?order=asc&waitSeconds=25', { key: workspace.key });
      answers.push(answer.status);
    });
    await eventually(() => answers.length > 0, 'a refusal');
    assert.deepEqual(answers, [429]);
    await writeOne(workspace, 'call_1');
    await Promise.all(waiting);
    assert.equal(answers.filter((status) => status === 200).length, 10);
  });

  it('refuses none of the ten that wait already, although others come while they look at another type', async () => {
    const workspace = await newWorkspace(service);
    const get = async () => {
      const path = '/api/v1/events?order=asc&waitSeconds=25&type=agent_published';
      return (await send(service, 'GET', path, { key: workspace.key })).status;
    };
    const answers: number[] = [];
    const note = async () => void answers.push(await get());
    const waiting = Array.from({ length: 11 }, note);
    await eventually(() => answers.length > 0, 'the first refusal');
    for (let index = 0; index < 8; index += 1) {
      await Promise.all([writeOne(workspace, `call_${index}`), ...Array.from({ length: 3 }, note)]);
    }
    assert.deepEqual([...new Set(answers)], [429]);
    assert.equal(answers.length, 25);
    const { workspaceId } = workspace;
    const subject = { type: 'agent', id: 'agt_1' } as const;
    const data = { agentId: 'agt_1', version: 1, versionDescription: null };
    const fields = { type: 'agent_published', subject, data, sequence: null, transcript: undefined as never } as const;
    await write(service, { ...callEvent(workspaceId), ...fields });
    await Promise.all(waiting);
    assert.equal(answers.filter((status) => status === 200).length, 10);
  });

  it('comes with a catalog of all types, whose examples match their schemas', async () => {
    const { items, pagination } = await newWorkspace(service).then(({ get }) => get('/event-types'));
    assert.deepEqual(
      items.map(({ name }: { name: string }) => name),
      [...eventTypes],
    );
    assert.equal(pagination.nextCursor, null);
    for (const { name, example, schema } of items) {
      eventBodies[name as keyof typeof eventBodies].parse(example);
      const { valid, errors } = new Validator(schema, '2020-12').validate(example);
      assert.ok(valid, JSON.stringify(errors));
    }
  });
});
