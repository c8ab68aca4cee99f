import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, before } from 'node:test';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import type { AppParts } from '../../src/app-parts.ts';
import { createKeyStore, type KeyStore, type NewApiKey } from '../../src/areas/keys/store.ts';
import type { DatabaseLocation, Limits, RateLimit, Timeouts } from '../../src/config.ts';
import { allScopes, type Scope } from '../../src/contract/scopes.ts';
import { createIdGenerator } from '../../src/core/ids.ts';
import type { HttpServer } from '../../src/http/server.ts';
import type { Lifecycle } from '../../src/http/shutdown.ts';
import { openDataKey } from '../../src/storage/data-key.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import type { Clock } from '../../src/voice/clock.ts';
import { findSpeechPackages } from '../../src/voice/providers/embedded/packages.ts';
import { createSpeechProviders, type SpeechRegistry } from '../../src/voice/providers/registry.ts';
import type { SpeechProvider } from '../../src/voice/providers/speech-provider.ts';
import { CallTime } from './call-time.ts';
import { type Engine, locationOf } from './engines.ts';

/** The whole service in this process, with its own port and database. */
export interface Service {
  readonly url: string;
  readonly port: number;
  readonly server: HttpServer;
  /** Handles a request without a socket, for `inject` of light-my-request. */
  readonly handle: HttpServer['handle'];
  readonly database: Database;
  readonly databaseUrl: string;
  readonly keys: KeyStore;
  /** The time of its calls. */
  readonly clock: Clock;
  /** The log lines so far, parsed. */
  readonly log: Record<string, unknown>[];
  newKey(options?: { workspace?: string; scopes?: readonly Scope[] }): Promise<NewApiKey & { key: string }>;
  close(): Promise<void>;
}

const noPackages = { runtime: null, detection: null, english: null, flite: null };

/** Only test speech, and what a test adds to it. */
export function testSpeech(...others: SpeechProvider[]): SpeechRegistry {
  return createSpeechProviders({
    models: '/nowhere',
    programPath: '',
    isPreloaded: false,
    packages: noPackages,
    others,
  });
}

const isSpeechInstalled = Object.values(findSpeechPackages()).every((file) => file !== null);

/** An option of tests: skips those that speak or listen if the optional packages are not installed. */
export const withSpeech = { skip: isSpeechInstalled ? false : 'the optional packages of speech are not installed' };

/** The speech that is installed with the service. */
export function embeddedSpeech(): SpeechRegistry {
  return createSpeechProviders({ models: '/nowhere', programPath: '', isPreloaded: false });
}

let workspaces = 0;

/** A workspace that no other test uses. */
export function newWorkspaceName(): string {
  workspaces += 1;
  return `workspace ${process.pid}-${workspaces}`;
}

export async function startService(
  engine: Engine,
  options: {
    rateLimit?: RateLimit | null;
    rateLimits?: AppParts['rateLimits'];
    databaseUrl?: string;
    open?: (location: DatabaseLocation) => Database;
    timeouts?: Partial<Timeouts>;
    limits?: Partial<Limits>;
    simulations?: NonNullable<AppParts['simulations']>;
    hasReadCache?: boolean;
    now?: () => number;
    lifecycle?: Lifecycle;
    calls?: Partial<AppParts['calls']>;
    speech?: SpeechRegistry;
    operatorAccounts?: NonNullable<AppParts['operatorAccounts']>;
    sharesProviders?: boolean;
    mediaFolder?: string;
    mediaBucket?: NonNullable<AppParts['mediaBucket']>;
    dataKeys?: readonly Buffer[];
    allowedNetworks?: readonly string[];
    trustedProxies?: readonly string[];
    eventRetentionDays?: number;
    webhookSending?: NonNullable<AppParts['webhookSending']>;
    workflowRunning?: NonNullable<AppParts['workflowRunning']>;
    workflows?: NonNullable<AppParts['workflows']>;
    emptyLogMs?: number;
    twilioUrl?: string;
    embeddings?: NonNullable<AppParts['embeddings']>;
    localCarrier?: NonNullable<AppParts['localCarrier']>;
    otherAreas?: NonNullable<AppParts['otherAreas']>;
    otherJobs?: NonNullable<AppParts['otherJobs']>;
    tracing?: NonNullable<AppParts['tracing']>;
  } = {},
): Promise<Service> {
  const databaseUrl = options.databaseUrl ?? (await engine.newServiceUrl());
  const {
    databaseUrl: _,
    dataKeys = [],
    calls: givenCalls = {},
    open = (location) => openDatabase(location, () => {}),
    ...appOptions
  } = options;
  const database = open(locationOf(databaseUrl));
  await migrate(database, Date.now);
  const { sealer } = await openDataKey(database, locationOf(databaseUrl), dataKeys);
  const log: Record<string, unknown>[] = [];
  // Nothing is written to it unless a test does.
  const mediaFolder = join(tmpdir(), `voice-agents-media-${process.pid}`);
  const allowedNetworks = ['127.0.0.0/8', '::1/128'];
  const settings = {
    rateLimit: null,
    rateLimits: {
      calls: null,
      'voice-previews': null,
      'provider-verifications': null,
      'analysis-previews': null,
      'phone-checks': null,
      'knowledge-searches': null,
      'page-searches': null,
    },
    mediaFolder,
    allowedNetworks,
    // Nobody listens there: no test reaches Twilio.
    twilioUrl: 'http://127.0.0.1:1',
    // Most tests name addresses that do not exist, and looking them up takes long.
    webhookSending: null,
    workflowRunning: null,
  };
  // Tests share the machine with others, and are not about its load.
  const live = { isBusy: () => false, ...givenCalls.live };
  const clock = givenCalls.clock ?? new CallTime();
  const calls = { llm: null, concurrency: 20, publicUrl: null, ...givenCalls, live, clock };
  const speech = appOptions.speech ?? testSpeech();
  const defaults = { ...settings, sealer, eventRetentionDays: 30, calls, speech };
  const app = await createApp({ database, ...loggerInto(log), ...defaults, ...appOptions, calls });
  app.start();
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address;
  const keys = createKeyStore(database, createIdGenerator(), Date.now);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server: app.server,
    handle: app.server.handle,
    database,
    databaseUrl,
    keys,
    clock,
    log,
    newKey: ({ workspace = newWorkspaceName(), scopes = allScopes } = {}) =>
      database.transaction(async (queries) => {
        const workspaceId = await keys.ensureWorkspace(queries, workspace);
        const made = await keys.create(queries, { workspaceId, scopes, name: null, expiresAt: null });
        return { ...made, key: made.secret };
      }),
    close: async () => {
      await app.close();
      await database.close();
    },
  };
}

/** A service for a whole suite. */
export function useService(engine: Engine, options: Parameters<typeof startService>[1] = {}): Service {
  const service = {} as Service;
  before(async () => {
    Object.assign(service, await startService(engine, options));
  });
  after(() => service.close());
  return service;
}

function loggerInto(lines: Record<string, unknown>[]) {
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
  const logStream = Object.assign(output, { droppedLines: 0 });
  return { logger: pino({ level: 'info', base: null }, logStream), logStream };
}
