import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';

onEachEngine('the states of agents', (engine) => {
  const service = useService(engine);
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  const states = (ids: readonly string[]) =>
    send(service, 'GET', `/api/v1/agent-states?agentId=${encodeURIComponent(ids.join(','))}`, { key });
  const publish = (id: string) => send(service, 'POST', `/api/v1/agents/${id}/publish`, { key });
  const change = (id: string, name: string) => send(service, 'PATCH', `/api/v1/agents/${id}`, { key, body: { name } });

  it('are the newest published version and the draft, if there are such', async () => {
    const { id } = await createAgent(service, key);
    const steps: [() => Promise<unknown>, number | null, number | null][] = [
      [async () => {}, null, 1],
      [() => publish(id), 1, null],
      [() => change(id, 'two'), 1, 2],
      [() => publish(id), 2, null],
      [() => change(id, 'three'), 2, 3],
    ];
    for (const [step, publishedVersion, draftVersion] of steps) {
      await step();
      const answer = await states([id]);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json.items, [{ agentId: id, publishedVersion, draftVersion }]);
    }
  });

  it('leave out unknown, malformed, deleted and foreign agents, and repeat none', async () => {
    const [own, deleted] = [await createAgent(service, key), await createAgent(service, key)];
    await send(service, 'DELETE', `/api/v1/agents/${deleted.id}`, { key });
    const foreign = await createAgent(service, (await service.newKey()).key);
    const unknown = `${own.id.slice(0, -1)}${own.id.endsWith('0') ? '1' : '0'}`;
    const answer = await states([own.id, foreign.id, deleted.id, unknown, 'x', "'", own.id]);
    assert.deepEqual(answer.json, {
      items: [{ agentId: own.id, publishedVersion: null, draftVersion: 1 }],
      pagination: { nextCursor: null },
    });
  });

  it('are those of a whole page of 200 agents at once, newest first', async () => {
    const { key: other } = await service.newKey();
    const made = await Promise.all(Array.from({ length: 200 }, () => createAgent(service, other)));
    const ids = made.map(({ id }) => id).sort();
    const answer = await send(service, 'GET', `/api/v1/agent-states?agentId=${ids.join('%2C')}`, { key: other });
    assert.deepEqual(
      answer.json.items.map(({ agentId }: { agentId: string }) => agentId),
      ids.toReversed(),
    );
    const tooMany = await states([...ids, ids[0] as string]);
    assert.deepEqual([tooMany.status, Object.keys(tooMany.json.error.details.fieldErrors)], [400, ['agentId']]);
  });

  it('need at least one id', async () => {
    for (const query of ['', '?agentId=', '?agentId=a,,b']) {
      const answer = await send(service, 'GET', `/api/v1/agent-states${query}`, { key });
      assert.deepEqual([answer.status, Object.keys(answer.json.error.details.fieldErrors)], [400, ['agentId']]);
    }
  });
});
