import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'leases are not renewed, and their end is not noticed',
    engine: 'sqlite',
    in: 'JobWorker.#checkLeases',
    statement: '!this.#isRenewing',
    with: 'for (const run of ending) run.leaseEndsAt = Number.POSITIVE_INFINITY;',
  },
  {
    about: 'a claim ignores leases',
    engine: 'sqlite',
    in: 'createLeases.sql.claim',
    replace: '{dueAt} <=',
    with: '{runAt} <=',
  },
  {
    about: 'concurrent claims do not see each other',
    engine: 'postgres',
    in: 'dialect.forUpdateSkipLocked',
    replace: 'FOR UPDATE SKIP LOCKED',
    with: '',
  },
  {
    about: 'an outcome is recorded without the lease',
    engine: 'sqlite',
    in: 'createLeases.isHeld',
    replace: 'lease_owner = $2',
    with: "(lease_owner = $2 OR $2 <> '')",
  },
  {
    about: 'a job aborted by a shutdown counts as failed',
    engine: 'postgres',
    in: 'JobWorker.#outcomeOf',
    statement: "as: 'released'",
  },
  {
    about: 'a job is attempted once more than allowed',
    engine: 'sqlite',
    in: 'JobWorker.#outcomeOf',
    replace: 'job.attempt < maxAttempts',
    with: 'job.attempt <= maxAttempts',
  },
  {
    about: 'errors are stored without a length limit',
    engine: 'sqlite',
    in: 'errorText',
    replace: '.slice(0, maxErrorLength)',
    with: '',
  },
];
