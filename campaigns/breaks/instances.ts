import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a process that has lost a spoken call goes on writing',
    engine: 'postgres',
    in: 'CallRecord.#lock',
    statement: 'throw new LostCall(false)',
  },
  {
    about: 'a spoken call is taken from a process that has it',
    engine: 'postgres',
    in: 'claimCall',
    replace: "call.status === 'ongoing' && !wasOurs && isAlive",
    with: "call.status === 'queued' && !wasOurs && isAlive",
  },
  {
    about: 'jobs, deliveries and runs are claimed although another process works on them',
    engine: 'postgres',
    in: 'createLeases.sql.claim',
    replace: '{dueAt} <=',
    with: '{runAt} <=',
  },
  {
    about: 'concurrent claims of jobs, deliveries and runs do not see each other',
    engine: 'postgres',
    in: 'postgresDialect.forUpdateSkipLocked',
    replace: 'FOR UPDATE SKIP LOCKED',
    with: '',
  },
  {
    about: 'an outcome is recorded although the lease was lost',
    engine: 'postgres',
    in: 'createLeases.isHeld',
    replace: 'lease_owner = $2',
    with: "(lease_owner = $2 OR $2 <> '')",
  },
  {
    about: 'the leases of spoken calls are renewed without comparing the owner',
    engine: 'postgres',
    in: 'createOwnerStore.isLive',
    replace: 'AND owner = $1',
    with: "AND (owner = $1 OR $1 <> '')",
  },
];
