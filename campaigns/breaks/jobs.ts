import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'leases are not renewed, and their end is not noticed',
    engine: 'sqlite',
    in: 'OwnedLeases.#check',
    statement: '!this.#isRenewing',
    with: 'for (const lease of this.all) this.#endsAt.set(lease, Number.POSITIVE_INFINITY);',
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
    in: 'postgresDialect.forUpdateSkipLocked',
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
    in: 'JobRun.outcome',
    statement: "as: 'released'",
  },
  {
    about: 'a job is attempted once more than allowed',
    engine: 'sqlite',
    in: 'JobRun.outcome',
    replace: 'attempt < maxAttempts',
    with: 'attempt <= maxAttempts',
  },
  {
    about: 'errors are stored without a length limit',
    engine: 'sqlite',
    in: 'errorText',
    replace: '.slice(0, maxErrorLength)',
    with: '',
  },
];
