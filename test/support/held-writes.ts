import { DatabaseSync } from 'node:sqlite';
import type { Service } from './service.ts';

/** Blocks all writes of a service on SQLite, like another writing process; reads continue. */
export function holdWrites({ databaseUrl }: Service): { release(): void } {
  const connection = new DatabaseSync(databaseUrl.slice('sqlite:'.length));
  connection.exec('BEGIN IMMEDIATE');
  return {
    release: () => {
      connection.exec('ROLLBACK');
      connection.close();
    },
  };
}
