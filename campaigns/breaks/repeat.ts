import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'repeat',
    about: 'an effect is committed before its answer is kept',
    engine: 'postgres',
    file: 'src/changes/change.ts',
    from: '    await idempotency.save(queries, claimOf(context), {',
    to: '    await queries.run("COMMIT");\n    await queries.run("BEGIN");\n    await idempotency.save(queries, claimOf(context), {',
  },
  {
    campaign: 'repeat',
    about: 'answers are forgotten at once',
    engine: 'both',
    file: 'src/changes/idempotency/store.ts',
    from: 'WHERE idempotency_keys.expires_at <= $5',
    to: 'WHERE idempotency_keys.expires_at <= CAST($5 AS BIGINT) + 100000000',
  },
  {
    campaign: 'repeat',
    about: 'another request under the same key is taken for a repeat',
    engine: 'both',
    file: 'src/changes/idempotency/store.ts',
    from: 'if (saved.fingerprint !== claim.fingerprint) throw idempotencyKeyReused();',
    to: '',
  },
  {
    campaign: 'repeat',
    about: 'a repeat does not say that it is one',
    engine: 'both',
    file: 'src/changes/change.ts',
    from: "headers: { ...saved.headers, 'idempotent-replayed': 'true' }",
    to: 'headers: saved.headers',
  },
  {
    campaign: 'repeat',
    about: 'an answer is kept without its headers',
    engine: 'both',
    file: 'src/changes/change.ts',
    from: 'headers: reply.headers ?? {},',
    to: 'headers: {},',
  },
];
