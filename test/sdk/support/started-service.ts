import { after, before, type TestContext } from 'node:test';
import { VoiceAgents, type VoiceAgentsOptions } from '../../../sdk/src/index.ts';
import { createKeyStore } from '../../../src/areas/keys/store.ts';
import { allScopes, type Scope } from '../../../src/contract/scopes.ts';
import { createIdGenerator } from '../../../src/core/ids.ts';
import type { Database } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { locationOf, sqliteEngine } from '../../support/engines.ts';
import { type ServiceProcess, startProcess } from '../../support/process.ts';
import { newWorkspaceName } from '../../support/service.ts';
import { FaultProxy } from './fault-proxy.ts';

/** A started service for a whole suite, and clients for it, each with a workspace of its own. */
export interface StartedService {
  process: ServiceProcess;
  databaseUrl: string;
  newKey(options?: { workspace?: string; scopes?: readonly Scope[] }): Promise<string>;
  newClient(options?: VoiceAgentsOptions): Promise<VoiceAgents>;
  /** A client whose requests go through a proxy, which ends with the test. */
  newClientBehindProxy(
    context: TestContext,
    options?: VoiceAgentsOptions,
  ): Promise<{ client: VoiceAgents; proxy: FaultProxy }>;
}

export function useStartedService(): StartedService {
  const engine = sqliteEngine();
  const service = {} as StartedService;
  // Beside the service, as the command that makes keys does it.
  let database: Database;
  before(async () => {
    const url = await engine.newDatabaseUrl();
    service.databaseUrl = url;
    service.process = await startProcess({ DATABASE_URL: url, LOG_LEVEL: 'silent' });
    database = openDatabase(locationOf(url), () => {});
  });
  after(async () => {
    await database.close();
    await service.process.end('SIGKILL');
  });
  service.newKey = ({ workspace = newWorkspaceName(), scopes = allScopes } = {}) =>
    database.transaction(async (queries) => {
      const keys = createKeyStore(database, createIdGenerator(), Date.now);
      const workspaceId = await keys.ensureWorkspace(queries, workspace);
      return (await keys.create(queries, { workspaceId, scopes, name: null, expiresAt: null })).secret;
    });
  service.newClient = async (options) =>
    new VoiceAgents({ apiKey: await service.newKey(), baseUrl: service.process.url, ...options });
  service.newClientBehindProxy = async (context, options) => {
    const proxy = new FaultProxy(service.process);
    context.after(() => proxy.close());
    return { proxy, client: await service.newClient({ ...options, baseUrl: await proxy.start() }) };
  };
  return service;
}

export async function collect<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
