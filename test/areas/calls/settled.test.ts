import assert from 'node:assert/strict';
import { it } from 'node:test';
import { defineArea, type EndedCallDetails, type SettledCall } from '../../../src/areas/area.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { eventually, newChat, on } from './support.ts';

onEachEngine('areas that follow calls', (engine) => {
  const settled: SettledCall[] = [];
  const details = new Map<string, EndedCallDetails>();
  let isRefusing = false;
  const service = useService(engine, {
    otherAreas: () => [
      defineArea(
        { tag: { name: 'Followers', description: '' }, idPrefixes: [], scopes: {}, operations: [] },
        {
          handlers: {},
          onCallSettled: async (queries, each) => {
            if (isRefusing) throw new Error('the follower has failed');
            await queries.get('SELECT 1 AS one');
            settled.push(each);
            if (each.what === 'ended') details.set(each.call.id, await each.details());
          },
        },
      ),
    ],
  });
  const whatOf = (id: string) => settled.filter(({ call }) => call.id === id).map(({ what }) => what);

  it('are told when a call ends, when it is changed later, redacted and deleted, and nothing before', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key);
    const chat = on(service, key, id);
    await chat.say('Hello');
    assert.equal((await chat.patch({ metadata: { open: true } })).status, 200);
    assert.deepEqual(whatOf(id), []);
    await chat.end();
    // The analysis is settled by a job.
    await eventually(async () => (await chat.get()).json.analysis.status !== 'pending');
    const afterEnd = whatOf(id);
    assert.equal(afterEnd[0], 'ended');
    assert.ok(afterEnd.slice(1).every((what) => what === 'changed'));
    await chat.patch({ metadata: { open: false } });
    await chat.redact('basic_attributes_only');
    await chat.delete();
    assert.deepEqual(whatOf(id).slice(afterEnd.length), ['changed', 'redacted', 'deleted']);
    const ended = settled.find(({ call }) => call.id === id)?.call;
    assert.deepEqual([ended?.status, ended?.metadata], ['ended', { open: true }]);
  });

  it('get the roles and times of the turns with the end, also if their content is not stored', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key, { call: { dataStorageSetting: 'basic_attributes_only' } });
    const chat = on(service, key, id);
    await chat.say('Hello');
    await chat.end();
    const { turns, toolResults } = details.get(id) as EndedCallDetails;
    assert.deepEqual(
      turns.map(({ role }) => role).filter((role) => role !== 'agent'),
      ['caller'],
    );
    assert.ok((turns.findLast(({ role }) => role === 'agent')?.latency?.e2eMs ?? -1) >= 0);
    assert.deepEqual(toolResults, []);
  });

  it('are a part of the transaction: without them, nothing changes', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key);
    const chat = on(service, key, id);
    isRefusing = true;
    assert.equal((await chat.end()).status, 500);
    assert.equal((await chat.get()).json.status, 'registered');
    isRefusing = false;
    assert.equal((await chat.end()).status, 200);
    assert.deepEqual(whatOf(id), ['ended']);
  });
});
