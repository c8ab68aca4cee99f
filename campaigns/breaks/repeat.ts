import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'repeat',
    about: 'an effect is committed before its response is saved',
    engine: 'postgres',
    file: 'src/changes/change.ts',
    from: '    if (!(await idempotency.save(',
    to: '    await queries.run("COMMIT");\n    await queries.run("BEGIN");\n    if (!(await idempotency.save(',
  },
  {
    campaign: 'repeat',
    about: 'saved responses expire immediately',
    engine: 'both',
    file: 'src/changes/idempotency/store.ts',
    from: 'WHERE idempotency_keys.expires_at <= $6',
    to: 'WHERE idempotency_keys.expires_at <= CAST($6 AS BIGINT) + 100000000',
  },
  {
    campaign: 'repeat',
    about: 'a different request with the same key is treated as a repeat',
    engine: 'both',
    file: 'src/changes/idempotency/store.ts',
    from: 'if (found.fingerprint !== fingerprint) throw idempotencyKeyReused();',
    to: '',
  },
  {
    campaign: 'repeat',
    about: 'a replayed response has no Idempotent-Replayed header',
    engine: 'both',
    file: 'src/changes/change.ts',
    from: "headers: { ...saved.headers, 'idempotent-replayed': 'true' }",
    to: 'headers: saved.headers',
  },
  {
    campaign: 'repeat',
    about: 'a response is saved without its headers',
    engine: 'both',
    file: 'src/changes/change.ts',
    from: 'headers: reply.headers ?? {},',
    to: 'headers: {},',
  },
];
