import { setTimeout as delay } from 'node:timers/promises';
import { goodKey, startKeyLogDouble } from '../../test/providers/key-log-double.ts';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import type { Run } from '../campaign.ts';
import { Connection, type Reply } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import type { Random } from '../random.ts';

/** What the campaign found out about the keys that providers saw. */
export interface SeenKeys {
  readonly requests: number;
  readonly keys: number;
}

const providers = ['openai', 'deepgram', 'elevenlabs', 'cartesia', 'embeddings'] as const;
/** Those of the last have no accounts of their own. */
const workspaces = ['alpha', 'beta', 'gamma', 'delta'] as const;
const withoutAccounts = 'delta';
const operator = 'operator';
const lanes = 4;
/** Every instance knows of a change by then. */
const knownMs = 2000;

interface Tenant {
  readonly name: string;
  readonly secret: string;
  agentId: string;
  baseId: string;
}

/**
 * Workspaces with accounts at the same host use everything that sends a key to a provider, all at once and on two
 * processes, and replace their keys meanwhile. The provider writes down the key of each request: it must be one of the
 * workspace that the address and the text are of, or of the operator for the workspace that has none.
 */
export async function attackProviderKeys(run: Run, actions: number): Promise<SeenKeys> {
  const double = await startKeyLogDouble();
  run.atEnd(() => double.close());
  const settings: Record<string, string> = {
    DATABASE_URL: await run.newDatabaseUrl(),
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    CALL_RATE: 'off',
    CALL_CONCURRENCY: '10000',
    EMBEDDINGS_MODEL: 'shared',
  };
  for (const provider of providers) {
    settings[`${provider.toUpperCase()}_API_KEY`] = `${goodKey}${operator}-0`;
    settings[`${provider.toUpperCase()}_BASE_URL`] = double.baseUrl(provider, operator);
  }
  const file = `${import.meta.dirname}/service.ts`;
  const services = await Promise.all([startProcess(settings, { file }), startProcess(settings, { file })]);
  for (const service of services) run.atEnd(() => service.end('SIGTERM'));
  const keys = await makeKeys(
    settings.DATABASE_URL as string,
    workspaces.map((workspace) => ({ workspace })),
  );
  const tenants = workspaces.map(
    (name, index): Tenant => ({ name, secret: keys[index]?.secret ?? '', agentId: '', baseId: '' }),
  );
  const [first] = services as [ServiceProcess, ServiceProcess];
  const connection = new Connection(first.port);
  let number = 0;
  const setKey = async (to: Connection, tenant: Tenant, provider: string): Promise<void> => {
    number += 1;
    const body = {
      apiKey: `${goodKey}${tenant.name}-${number}`,
      baseUrl: double.baseUrl(provider, tenant.name),
      ...(provider === 'embeddings' && { model: `model-${tenant.name}` }),
    };
    mustBe(200, await to.request('PUT', `/api/v1/providers/${provider}/credentials`, { key: tenant.secret, body }));
  };
  for (const tenant of tenants) {
    if (tenant.name !== withoutAccounts) for (const provider of providers) await setKey(connection, tenant, provider);
    await prepare(connection, tenant);
  }
  connection.close();
  await delay(knownMs);
  // What was sent before every process knew of the accounts does not count.
  const start = double.seen.length;
  let left = actions;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const random = run.random.fork();
      const to = new Connection((services[lane % 2] as ServiceProcess).port);
      for (; left > 0 && !run.isOver(); left -= 1) {
        const tenant = random.pick(tenants);
        if (tenant.name !== withoutAccounts && random.int(0, 9) === 0) await setKey(to, tenant, random.pick(providers));
        await act(to, tenant, random);
      }
      to.close();
    }),
  );
  const seen = double.seen.slice(start);
  for (const { provider, path, key, tenant, body } of seen) {
    const owner = ownerOf(key);
    const about = `a request to ${provider}${path}`;
    if (owner === null || tenant !== owner) run.found(`${about} at the address of ${tenant} has the key of ${owner}`);
    // Everything that is sent in this campaign names its workspace.
    const named = workspaces.find((name) => body.includes(`words of ${name}`));
    if (named === undefined) continue;
    const expected = named === withoutAccounts ? operator : named;
    if (owner !== expected) run.found(`${about} for ${named} has the key of ${owner}`);
  }
  for (const name of [...workspaces.filter((each) => each !== withoutAccounts), operator]) {
    for (const provider of providers) {
      const isSeen = seen.some((each) => each.provider === provider && ownerOf(each.key) === name);
      if (!isSeen && actions >= 500)
        run.found(`no request to ${provider} had a key of ${name}: the campaign proves nothing`);
    }
  }
  return { requests: seen.length, keys: new Set(seen.map(({ key }) => key)).size };
}

function ownerOf(key: string | null): string | null {
  return /^good-([a-z]+)-\d+$/.exec(key ?? '')?.[1] ?? null;
}

/** An agent with a language model, and a knowledge base with a document. */
async function prepare(to: Connection, tenant: Tenant): Promise<void> {
  const { secret: key, name } = tenant;
  const agent = { name, voiceId: 'v', llmModel: 'gpt-5.4-mini', prompt: `These are words of ${name}.` };
  tenant.agentId = idIn(mustBe(201, await to.request('POST', '/api/v1/agents', { key, body: agent })));
  tenant.baseId = idIn(mustBe(201, await to.request('POST', '/api/v1/knowledge-bases', { key, body: { name } })));
  const path = `/api/v1/knowledge-bases/${tenant.baseId}/documents`;
  mustBe(201, await to.request('POST', path, { key, body: { name, text: `These are words of ${name}.` } }));
}

/** One of the things that send a key to a provider. */
async function act(to: Connection, { name, secret: key, agentId, baseId }: Tenant, random: Random): Promise<void> {
  const text = `These are words of ${name}, number ${random.int(0, 1e9)}.`;
  const post = (path: string, body?: object) =>
    to.request('POST', `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
  const preview = (provider: string, voiceId: string) =>
    // These words are the same for all workspaces, so that what is kept of them would be heard in another.
    post('/voices/preview', { provider, voiceId, language: 'en', text: random.int(0, 1) === 0 ? text : 'Hello.' });
  switch (random.pick(['chat', 'verify', 'search', 'openai', 'elevenlabs', 'cartesia', 'voices'] as const)) {
    case 'chat': {
      const call = await post('/calls', { type: 'chat', agentId, agentVersion: 'latest' });
      await post(`/calls/${idIn(mustBe(201, call))}/messages`, { text });
      return;
    }
    case 'verify':
      mustBe(200, await post(`/providers/${random.pick(providers)}/verify`));
      return;
    case 'search':
      await post(`/knowledge-bases/${baseId}/search`, { query: text, mode: 'hybrid' });
      return;
    case 'openai':
      await preview('openai', 'alloy');
      return;
    case 'elevenlabs':
      await preview('elevenlabs', '21m00Tcm4TlvDq8ikWAM');
      return;
    case 'cartesia':
      await preview('cartesia', 'a0e99841-438c-4a64-b679-ae501e7d6091');
      return;
    case 'voices':
      mustBe(200, await to.request('GET', '/api/v1/voices', { key }));
  }
}

function mustBe(status: number, reply: Reply): Reply {
  if (reply.status !== status) throw new Error(`answered ${reply.status} instead of ${status}: ${reply.body}`);
  return reply;
}

function idIn(reply: Reply): string {
  return (JSON.parse(reply.body.toString()) as { id: string }).id;
}
