import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { newWorkspace, onEnd, useWorkflowService } from './support.ts';

onEachEngine('workflows', (engine) => {
  const service = useWorkflowService(engine);
  const pause = { id: 'pause', type: 'wait', seconds: 60 };

  it('are disabled when they are created, and change version with their trigger or steps only', async () => {
    const { create, patch, request } = await newWorkspace(service);
    const { id, ...created } = await create([pause]);
    assert.deepEqual([created.enabled, created.disabledReason, created.version], [false, null, 1]);
    const named = await patch(id, { name: 'Renamed', description: 'A note' });
    assert.deepEqual([named.version, named.name, named.description], [1, 'Renamed', 'A note']);
    const enabled = await patch(id, { enabled: true });
    assert.deepEqual([enabled.version, enabled.enabled, enabled.disabledReason], [1, true, null]);
    const edited = await patch(id, { steps: [{ ...pause, seconds: 30 }] });
    assert.deepEqual([edited.version, edited.enabled], [2, true]);
    assert.equal((await patch(id, { trigger: { ...onEnd, includeDrafts: false } })).version, 3);
    assert.equal((await patch(id, { steps: [{ ...pause, seconds: 30 }] })).version, 3);
    const disabled = await patch(id, { enabled: false });
    assert.deepEqual([disabled.enabled, disabled.disabledReason], [false, 'by_user']);
    const versions = await request('GET', `/workflows/${id}/versions?limit=2`);
    assert.deepEqual(
      versions.json.items.map(({ version }: { version: number }) => version),
      [3, 2],
    );
    const cursor = encodeURIComponent(versions.json.pagination.nextCursor);
    const rest = await request('GET', `/workflows/${id}/versions?limit=2&cursor=${cursor}`);
    const [first] = rest.json.items;
    assert.deepEqual([first.version, first.steps[0].seconds, first.keyId.startsWith('key_')], [1, 60, true]);
    assert.equal(rest.json.pagination.nextCursor, null);
  });

  it('have an entity tag, which changes and deletions can require', async () => {
    const { create, request } = await newWorkspace(service);
    const { id } = await create([pause]);
    const read = await request('GET', `/workflows/${id}`);
    const etag = String(read.headers.get('etag'));
    const changed = await request('PATCH', `/workflows/${id}`, { name: 'One' }, { 'if-match': etag });
    assert.equal(changed.status, 200);
    assert.equal((await request('PATCH', `/workflows/${id}`, { name: 'Two' }, { 'if-match': etag })).status, 409);
    assert.equal((await request('DELETE', `/workflows/${id}`, undefined, { 'if-match': etag })).status, 409);
    const current = String(changed.headers.get('etag'));
    assert.equal((await request('DELETE', `/workflows/${id}`, undefined, { 'if-match': current })).status, 200);
    assert.equal((await request('GET', `/workflows/${id}`)).status, 404);
    assert.equal((await request('GET', `/workflows/${id}/versions`)).status, 404);
  });

  it('are listed newest first, by whether they are enabled, and by agent with those of all agents', async () => {
    const { create, enabled, agent, request } = await newWorkspace(service);
    const [one, other] = [await agent(), await agent()];
    const ofAll = await create([pause]);
    const ofOne = await enabled([pause], { ...onEnd, agentIds: [one.id] });
    const ofOther = await create([pause], { ...onEnd, agentIds: [other.id] });
    const list = async (query: string): Promise<string[]> => {
      const answer = await request('GET', `/workflows${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.json.items.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual(await list(''), [ofOther.id, ofOne.id, ofAll.id]);
    assert.deepEqual(await list('?enabled=true'), [ofOne.id]);
    assert.deepEqual(await list('?enabled=false'), [ofOther.id, ofAll.id]);
    assert.deepEqual(await list(`?agentId=${one.id}`), [ofOne.id, ofAll.id]);
    assert.deepEqual(await list('?agentId=%22'), [ofAll.id]);
  });

  it('can be a hundred in a workspace, also if two are created at the same time', async () => {
    const { create, request } = await newWorkspace(service);
    for (let count = 0; count < 99; count += 1) await create([pause]);
    const body = { name: 'One too many', trigger: onEnd, steps: [pause] };
    const answers = await Promise.all([request('POST', '/workflows', body), request('POST', '/workflows', body)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422]);
    assert.equal(answers.find(({ status }) => status === 422)?.json.error.code, 'LIMIT_REACHED');
  });

  it('have at most 128 KiB, and pages of them stay within the limit of a list', async () => {
    const { create, request } = await newWorkspace(service);
    const step = (id: string, length: number) => ({
      id,
      type: 'http_request',
      url: 'https://crm.example.com/',
      body: { text: 'x'.repeat(length) },
    });
    const answer = await request('POST', '/workflows', {
      name: 'Long',
      trigger: onEnd,
      steps: [step('a', 128 * 1024)],
    });
    assert.equal(answer.status, 400);
    for (let count = 0; count < 70; count += 1) await create([step('a', 125 * 1024)]);
    const page = await request('GET', '/workflows?limit=200');
    assert.ok(page.json.items.length < 70 && page.text.length <= 8.5 * 1024 * 1024, String(page.json.items.length));
    assert.notEqual(page.json.pagination.nextCursor, null);
  });

  it('do not exist for other workspaces, nor do their runs', async () => {
    const [one, other] = [await newWorkspace(service), await newWorkspace(service)];
    const { id } = await one.create([pause]);
    const call = await one.endedCall();
    const run = await one.start(id, call.id);
    for (const [method, path, body] of [
      ['GET', `/workflows/${id}`],
      ['PATCH', `/workflows/${id}`, { name: 'Mine' }],
      ['DELETE', `/workflows/${id}`],
      ['GET', `/workflows/${id}/versions`],
      ['POST', `/workflows/${id}/resume`, { since: '2026-01-01T00:00:00Z' }],
      ['POST', `/workflows/${id}/runs`, { callId: call.id }],
      ['GET', `/workflow-runs/${run.id}`],
      ['POST', `/workflow-runs/${run.id}/resume`],
      ['POST', `/workflow-runs/${run.id}/cancel`],
    ] as const) {
      assert.equal((await other.request(method, path, body)).status, 404, `${method} ${path}`);
    }
    assert.deepEqual(await other.runs(`?callId=${call.id}`), []);
    const { id: own } = await other.create([pause]);
    const foreign = await other.request('POST', `/workflows/${own}/runs`, { callId: call.id });
    assert.deepEqual([foreign.status, Object.keys(foreign.json.error.details.fieldErrors)], [422, ['callId']]);
  });
});
