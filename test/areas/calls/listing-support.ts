import { after, before } from 'node:test';
import type { Call } from '../../../src/contract/calls/call.ts';
import type { Database } from '../../../src/storage/database.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import type { Page } from '../../../src/storage/page.ts';
import { type Engine, locationOf } from '../../support/engines.ts';

/** A migrated database for the suite. */
export function useDatabase(engine: Engine): { readonly database: Database } {
  const context = {} as { database: Database };
  before(async () => {
    context.database = openDatabase(locationOf(await engine.newServiceUrl()), () => {});
    await migrate(context.database, Date.now);
  });
  after(() => context.database.close());
  return context;
}

export function callsOf({ items }: Page<Call>): Call[] {
  return JSON.parse(`[${items}]`);
}

export function idsOf(page: Page<Call>): string[] {
  return callsOf(page).map(({ id }) => id);
}
