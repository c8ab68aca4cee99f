import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../support/client.ts';
import { onEachEngine } from '../support/engines.ts';
import { useService } from '../support/service.ts';

onEachEngine('deadlines of calls', (engine) => {
  const clock = { aheadMs: 0 };
  const service = useService(engine, { now: () => Date.now() + clock.aheadMs });

  it('end a call although another one that is due before cannot be ended', async () => {
    const { key } = await service.newKey();
    const body = { name: 'Reception', voiceId: 'v', llmModel: 'test-echo' };
    const agent = (await send(service, 'POST', '/api/v1/agents', { key, body })).json;
    const newCall = async (): Promise<string> => {
      const call = { type: 'chat', agentId: agent.id, agentVersion: 'latest' };
      return (await send(service, 'POST', '/api/v1/calls', { key, body: call })).json.id;
    };
    const broken = await newCall();
    const other = await newCall();
    await service.database.run("UPDATE calls SET doc = '{' WHERE id = $1", [broken]);
    clock.aheadMs = 130_000;
    for (;;) {
      const { json } = await send(service, 'GET', `/api/v1/calls/${other}`, { key });
      if (json.status !== 'registered') {
        assert.equal(json.endReason, 'not_joined');
        break;
      }
      await delay(20);
    }
    await service.database.run('DELETE FROM calls WHERE id = $1', [broken]);
  });
});
