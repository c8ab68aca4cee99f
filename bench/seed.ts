/**
 * Databases of a given size, created once and kept in bench/.data. They are created through the modules of the product,
 * so that their content is what the service would have stored.
 *
 *   node bench/seed.ts --agents 100000 [--workspaces 1000]
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAgent } from '../src/areas/agents/agent.ts';
import { createAgentStore } from '../src/areas/agents/store.ts';
import { createKeyStore } from '../src/areas/keys/store.ts';
import { createAgentBody } from '../src/contract/agents/requests.ts';
import { allScopes } from '../src/contract/scopes.ts';
import { createIdGenerator } from '../src/core/ids.ts';
import type { Database } from '../src/storage/database.ts';
import { migrate, newestSchema } from '../src/storage/migrate.ts';
import { openDatabase } from '../src/storage/open.ts';
import { agentRequest } from './documents.ts';
import { cpuMsUntilIdle, dataFolder, root, stopAllAtExit } from './processes.ts';
import { showProgress } from './progress.ts';
import { idBytes } from './requests.ts';
import { startProduct } from './servers.ts';

/** Incremented when the documents change, so that existing databases are recreated. */
const documentsVersion = 2;
const agentsInTransaction = 5000;
/** Enough for each connection to have its own, if all agents are in one workspace. */
export const keysOfOneWorkspace = 64;
/** The creation times of the agents are spread over the last months. */
const millisecondsBetween = 1000;
const maxIdleWaitMs = 900_000;

export interface Seed {
  readonly agents: number;
  readonly workspaces: number;
  readonly databaseFile: string;
  /** All ids one after another, in order of creation. */
  readonly idsFile: string;
  /** The workspace number of each id, in 16 bits; null if there is one workspace. */
  readonly ownersFile: string | null;
  /** Several of one workspace, or one of each workspace. */
  readonly keys: readonly string[];
}

export function titleOf({ agents, workspaces }: Seed): string {
  const size = `${agents.toLocaleString('en')} agents`;
  return workspaces === 1 ? size : `${size} in ${workspaces.toLocaleString('en')} workspaces`;
}

/** The database of this size, created if it does not exist. */
export async function seed(agents: number, workspaces = 1): Promise<Seed> {
  const name = `agents-${agents}-in-${workspaces}-schema-`;
  const folder = join(dataFolder, `${name}${newestSchema}-${fingerprint()}`);
  const databaseFile = join(folder, 'voice-agents.db');
  const idsFile = join(folder, 'ids');
  const keysFile = join(folder, 'keys.json');
  const ownersFile = workspaces === 1 ? null : join(folder, 'owners');
  if (!existsSync(folder)) {
    const outdated = existsSync(dataFolder) ? readdirSync(dataFolder).filter((other) => other.startsWith(name)) : [];
    for (const other of outdated) rmSync(join(dataFolder, other), { recursive: true });
    // Created under another name and renamed at the end: an existing folder is always complete.
    const unfinished = `${folder}.unfinished`;
    mkdirSync(unfinished, { recursive: true });
    const { ids, owners, keys } = await fill(join(unfinished, 'voice-agents.db'), agents, workspaces);
    writeFileSync(join(unfinished, 'ids'), ids);
    writeFileSync(join(unfinished, 'owners'), owners);
    writeFileSync(join(unfinished, 'keys.json'), JSON.stringify(keys));
    await serveUntilIdle(join(unfinished, 'voice-agents.db'), keys);
    renameSync(unfinished, folder);
  }
  const keys = JSON.parse(readFileSync(keysFile, 'utf8')) as string[];
  return { agents, workspaces, databaseFile, idsFile, ownersFile, keys };
}

/**
 * A digest of everything that determines the database: the current migrations, even while one is still being written.
 */
function fingerprint(): string {
  const hash = createHash('sha256').update(String(documentsVersion));
  const migrations = join(root, 'src', 'storage', 'migrations');
  for (const file of readdirSync(migrations).sort()) hash.update(readFileSync(join(migrations, file)));
  return hash.digest('hex').slice(0, 8);
}

/** Lets background work of the service, such as building an index, finish before any measurement. */
async function serveUntilIdle(databaseFile: string, keys: readonly string[]): Promise<void> {
  const server = await startProduct({ keys }, databaseFile);
  await cpuMsUntilIdle(server.pids(), maxIdleWaitMs);
  await server.stop();
}

async function fill(databaseFile: string, agents: number, workspaces: number) {
  const database = openDatabase({ engine: 'sqlite', file: databaseFile }, (error) => {
    throw error;
  });
  try {
    const start = Date.now() - agents * millisecondsBetween;
    await migrate(database, Date.now);
    const { workspaceIds, keys } = await makeWorkspaces(database, workspaces, start);
    const { ids, owners } = await makeAgents(database, agents, workspaceIds, start);
    return { ids, owners: Buffer.from(owners.buffer), keys };
  } finally {
    await database.close();
  }
}

async function makeWorkspaces(database: Database, workspaces: number, start: number) {
  const store = createKeyStore(
    database,
    createIdGenerator(() => start),
    () => start,
  );
  const workspaceIds: string[] = [];
  const keys: string[] = [];
  await database.transaction(async (queries) => {
    for (let number = 0; number < workspaces; number += 1) {
      const workspaceId = await store.ensureWorkspace(queries, `bench ${number}`);
      workspaceIds.push(workspaceId);
      const keyCount = workspaces === 1 ? keysOfOneWorkspace : 1;
      for (let count = 0; count < keyCount; count += 1) {
        const order = { workspaceId, name: 'bench', scopes: allScopes, expiresAt: null };
        keys.push((await store.create(queries, order)).secret);
      }
    }
  });
  return { workspaceIds, keys };
}

async function makeAgents(database: Database, agents: number, workspaceIds: readonly string[], start: number) {
  const store = createAgentStore(database);
  let time = start;
  const newId = createIdGenerator(() => time);
  const ids = Buffer.alloc(agents * idBytes);
  const owners = new Uint16Array(agents);
  const progress = showProgress(`seeding ${agents.toLocaleString('en')} agents`, agents);
  for (let first = 0; first < agents; first += agentsInTransaction) {
    const end = Math.min(first + agentsInTransaction, agents);
    await database.transaction(async (queries) => {
      for (let number = first; number < end; number += 1) {
        time = start + number * millisecondsBetween;
        const owner = number % workspaceIds.length;
        const identity = {
          id: newId('agt'),
          workspaceId: workspaceIds[owner] as string,
          createdAt: new Date(time).toISOString(),
        };
        await store.insert(queries, buildAgent(createAgentBody.parse(agentRequest(number)), identity));
        ids.write(identity.id, number * idBytes, 'latin1');
        owners[number] = owner;
      }
    });
    progress.advanceTo(end);
  }
  progress.end();
  return { ids, owners };
}

if (import.meta.main) {
  stopAllAtExit();
  const { values } = parseArgs({
    options: {
      agents: { type: 'string', default: '1000' },
      workspaces: { type: 'string', default: '1' },
    },
  });
  const { databaseFile } = await seed(Number(values.agents), Number(values.workspaces));
  process.stdout.write(`${databaseFile}\n`);
}
