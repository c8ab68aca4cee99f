import type { TestContext } from 'node:test';
import { VoiceAgents, type VoiceAgentsOptions } from '../../../sdk/src/index.ts';
import type { Scope } from '../../../src/contract/scopes.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { embeddedSpeech, useService } from '../../support/service.ts';
import { FaultProxy } from './fault-proxy.ts';

/** A service for a whole suite, and clients for it, each with its own workspace. */
export interface StartedService {
  readonly url: string;
  readonly port: number;
  readonly databaseUrl: string;
  newKey(options?: { workspace?: string; scopes?: readonly Scope[] }): Promise<string>;
  newClient(options?: VoiceAgentsOptions): Promise<VoiceAgents>;
  /** A client behind a proxy, which is closed with the test. */
  newClientBehindProxy(
    context: TestContext,
    options?: VoiceAgentsOptions,
  ): Promise<{ client: VoiceAgents; proxy: FaultProxy }>;
}

export function useStartedService(): StartedService {
  const running = useService(sqliteEngine(), { speech: embeddedSpeech() });
  const service = {
    get url() {
      return running.url;
    },
    get port() {
      return running.port;
    },
    get databaseUrl() {
      return running.databaseUrl;
    },
    newKey: async (options) => (await running.newKey(options)).key,
  } as StartedService;
  service.newClient = async (options) =>
    new VoiceAgents({ apiKey: await service.newKey(), baseUrl: service.url, ...options });
  service.newClientBehindProxy = async (context, options) => {
    const proxy = new FaultProxy(service);
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
