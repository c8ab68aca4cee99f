import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { useService } from '../../support/service.ts';

onEachEngine('a call whose row is damaged', (engine) => {
  let skippedMs = 0;
  const service = useService(engine, { now: () => Date.now() + skippedMs });

  it('does not keep other calls from ending in time', async () => {
    const { key } = await service.newKey();
    const { id: agentId } = await createAgent(service, key, { llmModel: 'test-echo' });
    const newChat = async (): Promise<string> => {
      const body = { type: 'chat', agentId, agentVersion: 'latest' };
      return (await send(service, 'POST', '/api/v1/calls', { key, body })).json.id;
    };
    const damaged = await newChat();
    const other = await newChat();
    await service.database.run("UPDATE calls SET doc = '{' WHERE id = $1", [damaged]);
    skippedMs = 121_000;
    const ended = async () => (await send(service, 'GET', `/api/v1/calls/${other}`, { key })).json.endReason;
    assert.equal(await eventually(async () => (await ended()) ?? undefined, 'the end of the other call'), 'not_joined');
  });
});
