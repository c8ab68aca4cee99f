import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../src/core/errors.ts';
import type { Database, Reads, Row, Value } from '../../src/storage/database.ts';

const pauseMs = 50;
const maxMs = 30_000;

/** Reads of those who look on: they wait while the server is restarted. */
export function patientReads(database: Database): Pick<Reads, 'all'> {
  return {
    all: async <R extends Row>(sql: string, parameters: readonly Value[] = []): Promise<R[]> => {
      const deadline = performance.now() + maxMs;
      for (;;) {
        try {
          return await database.all<R>(sql, parameters);
        } catch (error) {
          const isDown = error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
          if (!isDown || performance.now() > deadline) throw error;
          await delay(pauseMs);
        }
      }
    },
  };
}
