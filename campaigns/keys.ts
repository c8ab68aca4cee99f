import { createKeyStore } from '../src/areas/keys/store.ts';
import { allScopes, type Scope } from '../src/contract/scopes.ts';
import { createIdGenerator } from '../src/core/ids.ts';
import { migrate } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';
import { locationOf } from '../test/support/engines.ts';

export interface MadeKey {
  readonly id: string;
  readonly secret: string;
  readonly workspaceId: string;
  readonly scopes: readonly Scope[];
}

/** Creates keys directly in the database, like `voice-agents keys create`, without starting a process for each. */
export async function makeKeys(
  databaseUrl: string,
  wanted: readonly { workspace: string; scopes?: readonly Scope[] }[],
): Promise<MadeKey[]> {
  const database = openDatabase(locationOf(databaseUrl), () => {});
  try {
    await migrate(database, Date.now);
    const keys = createKeyStore(database, createIdGenerator(), Date.now);
    const made: MadeKey[] = [];
    for (const { workspace, scopes = allScopes } of wanted) {
      const key = await database.transaction(async (queries) => {
        const workspaceId = await keys.ensureWorkspace(queries, workspace);
        return keys.create(queries, { workspaceId, scopes, name: null, expiresAt: null });
      });
      made.push({ id: key.id, secret: key.secret, workspaceId: key.workspaceId, scopes });
    }
    return made;
  } finally {
    await database.close();
  }
}
