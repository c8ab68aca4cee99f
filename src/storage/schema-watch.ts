import type { Logger } from 'pino';
import type { Database } from './database.ts';
import { isMigrated } from './migrate.ts';

/** How often each process looks. */
export const schemaWatchMs = 5000;

/**
 * Notices when a newer release has migrated the database to a schema that this process cannot use. Requests no longer
 * reach it then, because it is not ready; this is for what it would take by itself.
 */
export function createSchemaWatch(database: Database, logger: Pick<Logger, 'info' | 'warn'>) {
  let isUsable = true;
  return {
    isUsable: (): boolean => isUsable,

    check: async (): Promise<boolean> => {
      const wasUsable = isUsable;
      isUsable = await isMigrated(database);
      if (wasUsable && !isUsable) logger.warn('the schema of the database is not usable: no more jobs are taken');
      if (!wasUsable && isUsable) logger.info('the schema of the database is usable again');
      return false;
    },
  };
}
