import { existsSync, renameSync, rmSync } from 'node:fs';
import { dataKeySetting, writeKeyFile } from '../storage/data-key.ts';
import type { Batch } from './format.ts';

export interface DataKeyRestore {
  /** Takes the key out of the settings, if it belongs in a file. */
  take(batch: Batch): Batch;
  /** The last step of the restore. */
  write(): void;
  /** The restore has failed: the database has its previous content, and needs its previous key. */
  rollback(): void;
}

/** A key that the service generated is in the settings of a backup; on SQLite it belongs in a file next to the database. */
export function restoreDataKey(keyFile: string | null): DataKeyRestore {
  if (keyFile === null) return { take: (batch) => batch, write: () => {}, rollback: () => {} };
  // Not deleted: it opens copies of the database file that were made before.
  const previous = `${keyFile}.replaced`;
  let key: string | null = null;
  let isReplaced = false;
  let isWritten = false;
  return {
    take: (batch) => {
      if (batch.table.name !== 'settings') return batch;
      const found = batch.rows.find(([name]) => name === dataKeySetting);
      if (found !== undefined) key = String(found[1]);
      return { ...batch, rows: batch.rows.filter((row) => row !== found) };
    },
    write: () => {
      if (existsSync(keyFile)) {
        renameSync(keyFile, previous);
        isReplaced = true;
      }
      if (key === null) return;
      writeKeyFile(keyFile, key);
      isWritten = true;
    },
    rollback: () => {
      if (isWritten) rmSync(keyFile, { force: true });
      if (isReplaced) renameSync(previous, keyFile);
    },
  };
}
