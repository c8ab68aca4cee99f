import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sqliteEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { startService } from '../support/service.ts';
import { idleKind } from './support.ts';

const engine = sqliteEngine();

it('a process takes no jobs on a schema that is too new for it, and goes on if it is rolled back', async () => {
  let add: () => Promise<string | null> = async () => null;
  let runs = 0;
  const run = async (): Promise<void> => {
    runs += 1;
  };
  const kind = { ...idleKind, name: 'service.test', run };
  const service = await startService(engine, {
    otherJobs: ({ database, jobs }) => {
      add = () => jobs.add(database, kind, { payload: null });
      return [kind];
    },
  });
  const logged = (text: string) => eventually(() => service.log.some(({ msg }) => String(msg).includes(text)), text);
  const insert = 'INSERT INTO schema_migrations (version, name, applied_at, compatible_from) VALUES ($1, $2, 0, $3)';
  await service.database.run(insert, [9999, 'too late', 9998]);
  await logged('no more jobs are taken');
  await add();
  for (let request = 0; request < 50; request += 1) assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
  assert.equal(runs, 0);
  await service.database.run('DELETE FROM schema_migrations WHERE version = $1', [9999]);
  await logged('usable again');
  await eventually(() => runs === 1, 'the job');
  await service.close();
});
