import { DatabaseSync } from 'node:sqlite';
import type { Service } from './service.ts';

/** Keeps every write of a service on SQLite waiting, as another process would that writes; reads go on. */
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
