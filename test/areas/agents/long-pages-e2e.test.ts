import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAgent, send, walk, walkPages } from '../../support/client.ts';
import { onSqlite } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';

const maxBytes = 8 * 1024 * 1024;

onSqlite('responses with long pages', (engine) => {
  for (const hasReadCache of [true, false]) {
    describe(hasReadCache ? 'with the read cache' : 'without the read cache', () => {
      const service = useService(engine, { hasReadCache });

      it('never exceed 8 MiB plus an envelope, and include every agent and version once', async () => {
        const { key } = await service.newKey();
        const ids: string[] = [];
        const fields = { name: 'on the wire', agentSettings: 'x'.repeat(900_000) };
        for (let count = 0; count < 12; count += 1) ids.unshift((await createAgent(service, key, fields)).id);
        const list = '/api/v1/agents';
        const first = await send(service, 'GET', `${list}?limit=200`, { key });
        assert.ok(Buffer.byteLength(first.text) < maxBytes + 1000);
        for (const query of [{ limit: '200' }, { limit: '200', q: 'wire' }]) {
          const pages = await walk(service, key, query);
          assert.deepEqual(
            pages.map((page) => page.map(({ id }) => id)),
            [ids.slice(0, 9), ids.slice(9)],
          );
        }
        const path = `${list}/${ids[0]}`;
        for (let version = 1; version < 11; version += 1) {
          await send(service, 'POST', `${path}/publish`, { key, body: {} });
          await send(service, 'PATCH', path, { key, body: { agentGlobalPrompt: String(version) } });
        }
        const pages = await walkPages(service, key, `${path}/versions`, { limit: '200' });
        assert.deepEqual(
          pages.map((page) => page.map(({ version }) => version)),
          [
            [11, 10, 9, 8, 7, 6, 5, 4, 3],
            [2, 1],
          ],
        );
      });
    });
  }
});
