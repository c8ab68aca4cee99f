import type { Dialect } from '../database.ts';

export const postgresDialect: Dialect = {
  engine: 'postgres',
  // Otherwise the order of ids would depend on the locale of the database.
  idType: 'TEXT COLLATE "C"',
  integerType: 'BIGINT',
  floatType: 'DOUBLE PRECISION',
  bytesType: 'BYTEA',
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  bytes: (expression) => expression,
  joined: (expression, order) => `string_agg(${expression}, ',' ORDER BY ${order})`,
  values: (expression) => `json_agg(${expression})::text`,
  joinedBytes: (expression) => `string_agg(${expression}, ''::bytea)`,
  tableNames: 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
  forUpdate: 'FOR UPDATE',
  forUpdateSkipLocked: 'FOR UPDATE SKIP LOCKED',
  forFieldUpdate: 'FOR NO KEY UPDATE',
  forFieldUpdateSkipLocked: 'FOR NO KEY UPDATE SKIP LOCKED',
  forShare: 'FOR SHARE',
  forReference: 'FOR KEY SHARE',
  // `clock_timestamp()` may change within a statement, so that no index could be used.
  clock: (given) => `coalesce(${given}::bigint, (extract(epoch FROM statement_timestamp()) * 1000)::bigint)`,
  textsIn: (parameter) => `SELECT json_array_elements_text(${parameter}::json)`,
};
