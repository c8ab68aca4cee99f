import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';

const longPrompt = 'よろしくお願いします'.repeat(12_000);

const isSame = (one: unknown, next: unknown) => JSON.stringify(one) === JSON.stringify(next);

onEachEngine('long agents', (engine) => {
  const service = useService(engine);

  it('are the same, with the same tag, however they are requested', async () => {
    const { key } = await service.newKey();
    const made = await createAgent(service, key, { agentSettings: { opening: longPrompt } });
    const path = `/api/v1/agents/${made.id}`;
    const got = await send(service, 'GET', path, { key });
    // Not compared by assert, which would print all of it.
    assert.ok(isSame(got.json, made));
    assert.ok(got.json.agentSettings.opening === longPrompt);
    const version = await send(service, 'GET', `${path}/versions/latest`, { key });
    assert.ok(isSame(version.json, made));
    assert.equal(version.headers.get('etag'), got.headers.get('etag'));
    const headers = { 'if-none-match': got.headers.get('etag') as string };
    const unchanged = await fetch(`${service.url}${path}`, { headers: { ...headers, 'x-api-key': key } });
    assert.equal(unchanged.status, 304);

    const changed = await send(service, 'PATCH', path, { key, body: { name: '変更' } });
    assert.ok(changed.json.agentSettings.opening === longPrompt);
    const diff = await send(service, 'GET', `${path}/diff?from=latest&to=latest`, { key });
    assert.deepEqual(diff.json.changes, []);
  });
});
