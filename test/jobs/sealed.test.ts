import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createIdGenerator } from '../../src/core/ids.ts';
import { createSealer } from '../../src/core/sealer.ts';
import { createJobQueue } from '../../src/jobs/queue.ts';
import { openDataKey } from '../../src/storage/data-key.ts';
import { locationOf, onEachEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { findJob } from '../support/stored-job.ts';
import { addJob, kindOf, type Process, useJobs } from './support.ts';

const secret = 'what the caller has said';

onEachEngine('a job whose payload carries content', (engine) => {
  const { openProcess, openProcesses, startWorker } = useJobs(engine);
  const everything = async ({ database }: Pick<Process, 'database'>): Promise<string> =>
    JSON.stringify(await database.all('SELECT * FROM jobs'), (_key, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );

  it('gets it as it was added, and it is never stored in the clear', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const payloads: unknown[] = [];
    const kind = kindOf({ isSealed: true, run: async ({ payload }) => void payloads.push(payload) });
    const id = await addJob(process, kind, { secret });
    assert.ok(!(await everything(process)).includes(secret));
    startWorker(process, [kind]);
    await eventually(async () => (await findJob(process.database, id))?.state === 'succeeded');
    assert.deepEqual(payloads, [{ secret }]);
    const row = await process.database.get('SELECT payload, sealed_payload FROM jobs WHERE id = $1', [id]);
    assert.deepEqual({ ...row }, { payload: 'null', sealed_payload: null });
  });

  it('keeps only the name of its errors, and nothing of it once it has failed', async () => {
    const [process] = (await openProcesses(1)) as [Process];
    const kind = kindOf({
      isSealed: true,
      maxAttempts: 1,
      run: async () => {
        throw new TypeError(`cannot read "${secret}"`);
      },
    });
    const id = await addJob(process, kind, secret);
    startWorker(process, [kind]);
    await eventually(async () => (await findJob(process.database, id))?.state === 'failed');
    assert.equal((await findJob(process.database, id))?.lastError, 'TypeError');
    const row = await process.database.get('SELECT sealed_payload FROM jobs WHERE id = $1', [id]);
    assert.equal(row?.sealed_payload, null);
  });

  it('is sealed again with a new data key, and fails if the key is lost', async () => {
    const url = await engine.newServiceUrl();
    const { database } = await openProcess(url);
    const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const queueOf = (sealer: Parameters<typeof createJobQueue>[0]['sealer']) =>
      createJobQueue({ database, newId: createIdGenerator(), sealer });
    const kind = kindOf({ isSealed: true, run: async () => {} });
    const first = await openDataKey(database, locationOf(url), [older]);
    const id = await addJob({ database, queue: queueOf(first.sealer) }, kind, secret);
    const { sealer, resealed } = await openDataKey(database, locationOf(url), [newer, older]);
    assert.equal(resealed, 1);
    const wanted = [{ kind: kind.name, workspaceId: '', limit: 1 }];
    const { claimed } = await queueOf(sealer).exchange('a', [], wanted, 60_000);
    const [job] = claimed;
    assert.ok(job?.id === id);
    assert.equal(queueOf(createSealer([newer])).payloadOf(job), secret);
    assert.throws(() => queueOf(createSealer([older])).payloadOf(job), /unknown key/);
    await queueOf(sealer).failLost(database, id);
    const stored = await findJob(database, id);
    assert.deepEqual([stored?.state, stored?.lastError], ['failed', 'the data key was lost']);
  });
});
