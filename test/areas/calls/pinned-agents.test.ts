import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAgentRemoval, usersSql } from '../../../src/areas/calls/lifecycle/agent-removal.ts';
import { writtenColumns } from '../../../src/areas/calls/record/call-row.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { chatWith, testAgent } from './support.ts';

const webhook = { webhookUrl: 'https://shop.example.com/hooks', webhookEvents: ['call_deleted'] };

onEachEngine('the agents that calls are pinned to', (engine) => {
  const service = useService(engine);

  const pinnedIn = async (workspaceId: string): Promise<number> =>
    (await service.database.all('SELECT 1 FROM call_agents WHERE workspace_id = $1', [workspaceId])).length;
  const removeAll = async (): Promise<void> => {
    const remove = createAgentRemoval(service.database);
    while (await remove());
  };

  it('stay while a call is open, or has a deletion to report', async () => {
    const { key, workspaceId } = await service.newKey();
    const { id: agentId } = await testAgent(service, key, 'test-echo', webhook);
    const { id: silentId } = await testAgent(service, key);
    const [reported, open, silent] = [
      await chatWith(service, key, { agentId }),
      await chatWith(service, key, { agentId }),
      await chatWith(service, key, { agentId: silentId }),
    ];
    const rename = { key, body: { name: 'Renamed' } };
    assert.equal((await send(service, 'PATCH', `/api/v1/agents/${agentId}`, rename)).status, 200);
    const newest = await chatWith(service, key, { agentId });
    assert.equal(await pinnedIn(workspaceId), 3, 'two versions of one agent, and the other agent');
    for (const chat of [reported, silent, newest]) await chat.end();
    await removeAll();
    assert.equal(await pinnedIn(workspaceId), 2);
    await open.end();
    for (const chat of [reported, open, newest]) await chat.delete();
    await removeAll();
    assert.equal(await pinnedIn(workspaceId), 0);
  });

  it('are removed in batches, over all workspaces', async () => {
    const { workspaceId } = await service.newKey();
    const agent = JSON.stringify({ id: 'agt_x', webhookEvents: [] });
    for (let number = 0; number < 250; number += 1) {
      await service.database.run('INSERT INTO call_agents (workspace_id, digest, doc) VALUES ($1, $2, $3)', [
        number % 2 === 0 ? workspaceId : `${workspaceId}x`,
        `digest ${number}`,
        agent,
      ]);
    }
    const remove = createAgentRemoval(service.database);
    assert.deepEqual([await remove(), await remove(), await remove()], [true, true, false]);
    assert.deepEqual([await pinnedIn(workspaceId), await pinnedIn(`${workspaceId}x`)], [0, 0]);
  });

  it('are found by an index, however many calls there are', async () => {
    const { key, workspaceId } = await service.newKey();
    const { id: agentId } = await testAgent(service, key);
    const chat = await chatWith(service, key, { agentId });
    await chat.end();
    const others = writtenColumns.filter((column) => column !== 'id').join(', ');
    const numbers =
      'WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 3000)';
    await service.database.run(
      `${numbers} INSERT INTO calls (id, ${others}) SELECT id || '_' || number, ${others} FROM calls, numbers WHERE id = $1`,
      [chat.id],
    );
    await service.database.run('ANALYZE calls');
    for (const [sql, index, value] of [
      [usersSql.ofAgent, 'calls_by_agent', 'agt_other'],
      [usersSql.open, 'calls_open_by_agent', 'digest'],
    ] as const) {
      const explain = engine.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
      const plan = JSON.stringify(await service.database.all(`${explain} ${sql}`, [workspaceId, value]));
      assert.match(plan, new RegExp(`${index}\\b`));
      assert.doesNotMatch(plan, /Seq Scan|SCAN|Filter/, plan);
    }
  });
});
