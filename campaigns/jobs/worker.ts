/**
 * A process of the campaign `jobs`: a worker on the database, and a ledger of what it ran.
 *
 *   node campaigns/jobs/worker.ts DATABASE_URL LEDGER
 */
import { pino } from 'pino';
import { readDatabaseLocation } from '../../src/config.ts';
import { createIdGenerator } from '../../src/core/ids.ts';
import { createSealer } from '../../src/core/sealer.ts';
import type { JobKind } from '../../src/jobs/kind.ts';
import { createJobQueue } from '../../src/jobs/queue.ts';
import { JobWorker } from '../../src/jobs/worker.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { expectations, leaseMs, pollMs } from './kinds.ts';
import { append, machineMs } from './ledger.ts';

const [databaseUrl, ledger] = process.argv.slice(2) as [string, string];
const { pid } = process;
const database = openDatabase(readDatabaseLocation({ DATABASE_URL: databaseUrl }), () => {});
const queue = createJobQueue({ database, newId: createIdGenerator(), sealer: createSealer([Buffer.alloc(32)]) });

const recorded = (kind: JobKind): JobKind => ({
  ...kind,
  run: async (job, context) => {
    const entry = { jobId: job.id, kind: kind.name, attempt: job.attempt, pid };
    append(ledger, { what: 'start', ...entry, ms: machineMs() });
    try {
      await kind.run(job, context);
    } finally {
      append(ledger, { what: 'end', ...entry, ms: machineMs() });
    }
  },
});

const worker = new JobWorker({
  queue,
  kinds: expectations.map(({ kind }) => recorded(kind)),
  logger: pino({ level: 'silent' }),
  settings: { leaseMs, pollMs, drainMs: 100, abortMs: 400 },
  onOutcome: (run, outcome) => append(ledger, { what: 'outcome', ...run, pid, ms: machineMs(), outcome }),
});
worker.start();
process.send?.('ready');
// The channel to the campaign keeps the process alive, and ends it with the campaign.
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => {
  void worker
    .stop()
    .then(() => database.close())
    .then(() => process.exit(0));
});
