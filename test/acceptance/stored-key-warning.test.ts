import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, it } from 'node:test';
import { onEachEngine } from '../support/engines.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const warning = 'the key that seals secrets is stored in the same database as the secrets: set DATA_KEY';

onEachEngine('a generated data key', (engine) => {
  const started: ServiceProcess[] = [];
  after(() => Promise.all(started.map((service) => service.end('SIGKILL'))));

  it('is reported once at each start while it is stored next to what it seals', async () => {
    const DATABASE_URL = await engine.newDatabaseUrl();
    const warningsWith = async (settings: Record<string, string>): Promise<number> => {
      const service = await startProcess({ DATABASE_URL, ...settings });
      started.push(service);
      await service.end('SIGTERM');
      const lines = service.output().split('\n');
      return lines.filter((line) => line.includes(warning)).length;
    };
    const expected = engine.name === 'postgres' ? 1 : 0;
    assert.equal(await warningsWith({ WORKERS: '2' }), expected);
    assert.equal(await warningsWith({}), expected);
    assert.equal(await warningsWith({ DATA_KEY: randomBytes(32).toString('base64') }), 0);
  });
});
