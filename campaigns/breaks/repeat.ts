import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'an effect is committed before its response is saved',
    engine: 'postgres',
    in: 'createChanges.save',
    replace: 'const saved =',
    with: "await queries.run('COMMIT'); await queries.run('BEGIN'); const saved =",
  },
  {
    about: 'saved responses expire immediately',
    engine: 'both',
    in: 'createIdempotencyStore.claim',
    replace: 'expires_at <= $6',
    with: 'expires_at <= CAST($6 AS BIGINT) + 100000000',
  },
  {
    about: 'a different request with the same key is treated as a repeat',
    engine: 'both',
    in: 'createIdempotencyStore.claim',
    statement: 'found.fingerprint !== fingerprint',
  },
  {
    about: 'a replayed response has no Idempotent-Replayed header',
    engine: 'both',
    in: 'createChanges.replayOf',
    replace: ", 'idempotent-replayed': 'true'",
    with: '',
  },
  {
    about: 'a response is saved without its headers',
    engine: 'both',
    in: 'createChanges.save',
    replace: 'reply.headers ?? {}',
    with: '{}',
  },
];
