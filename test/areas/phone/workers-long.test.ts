import assert from 'node:assert/strict';
import { it } from 'node:test';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { startProcess } from '../../support/process.ts';
import { testAgent } from '../calls/support.ts';

const key = 'a-key-for-this-suite-only';

onEachEngine('a test carrier with several workers', (engine) => {
  it('listens once, in the primary, and its phones talk to whichever worker has the call', async () => {
    const DATABASE_URL = await engine.newServiceUrl();
    const service = await startProcess({ DATABASE_URL, BOOTSTRAP_API_KEY: key, WORKERS: '2', LOG_LEVEL: 'warn' });
    const call = async (method: string, path: string, body?: object) => {
      const answer = await send(service, method, `/api/v1${path}`, { key, body });
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
      return answer.json;
    };
    const { id: agentId } = await testAgent(service, key, 'test-echo', {
      sttProvider: 'test',
      ttsProvider: 'test',
      voiceId: 'test',
    });
    const carrier = await call('POST', '/carriers', { name: 'Test', provider: 'test' });
    const inbound = { agentId };
    const number = await call('POST', '/phone-numbers', { carrierId: carrier.id, number: '+99910000001', inbound });
    await call('POST', `/agents/${agentId}/publish`);
    // New connections go to the workers in turn.
    const ids = await Promise.all(
      Array.from({ length: 4 }, async () => (await call('POST', `/phone-numbers/${number.id}/test`)).callId),
    );
    for (const id of ids) {
      const heard = await eventually(async () => {
        const { turns } = await call('GET', `/calls/${id}/transcript`);
        return turns.find(({ role }: { role: string }) => role === 'caller');
      }, 'what the phone said');
      assert.match(heard.text, /hello/i);
      await call('POST', `/calls/${id}/end`);
    }
    assert.equal((await service.end('SIGTERM')).code, 0);
  });
});
