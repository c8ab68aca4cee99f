import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { knowledgeClient } from './client.ts';

onEachEngine('documents', (engine) => {
  const service = useService(engine);
  const newClient = async () => knowledgeClient(service, (await service.newKey()).key);

  it('of type text become searchable, with an event in the same commit', async () => {
    const client = await newClient();
    const base = await client.base();
    const made = await client.add(base.id, { name: '返品', text: '# 返品\n\n30日以内に返品できます。' });
    assert.equal(made.status, 'queued');
    const ready = await client.settled(base.id, made.id).catch((error) => {
      console.error(service.log.filter((line) => Number(line.level) >= 40));
      throw error;
    });
    assert.equal(ready.status, 'ready');
  });
});
