import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { phones } from '../../../campaigns/dial/phones.ts';
import { accountSid, authToken, type CarrierProcess, startCarrierProcess } from '../../../campaigns/phone/carrier.ts';
import { limits, testSpeech } from '../../../campaigns/phone/scene.ts';
import { ourNumber } from '../../../campaigns/phone/settings.ts';
import { talker, talkerDigits } from '../../../campaigns/rejoin/campaign.ts';
import { Instances } from '../../../campaigns/repeat/instances.ts';
import { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Database } from '../../../src/storage/database.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { startOpenAiDouble } from '../../providers/openai-double.ts';
import { locationOf } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { type ProxyName, startProxy } from '../proxies.ts';
import { Refusals } from './refusals.ts';

/** How long the language model takes, so that replies are in progress when an instance is replaced. */
const modelMs = 150;
/** More than the SDK does by default: an application repeats what is still refused. */
const maxRetries = 10;
/** The last digits of a phone that talks for some seconds and hangs up. */
export const shortDigits = '01';
const key = 'a-key-for-this-test-only';

/** Two instances of the service behind a proxy, with everything that is around them. */
export interface Scene {
  readonly database: Database;
  readonly instances: Instances;
  readonly carrier: CarrierProcess;
  /** Behind the proxy. */
  readonly client: VoiceAgents;
  readonly refusals: Refusals;
  readonly agents: Readonly<Record<'chat' | 'web' | 'phone', string>>;
  readonly phoneNumberId: string;
  /** The ids of the events that the webhook has accepted. */
  readonly delivered: ReadonlySet<string>;
  /** The ids of the calls that the workflow has reported. */
  readonly reported: ReadonlySet<string>;
}

export async function openScene(
  name: ProxyName,
  { databaseUrl, atEnd }: { readonly databaseUrl: string; readonly atEnd: (end: () => Promise<unknown>) => void },
): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), `voice-agents-rolling-${name}-`));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const database = openDatabase(locationOf(databaseUrl), () => {});
  atEnd(() => database.close());
  await migrate(database, Date.now);
  await watchOwners(database);
  const model = await startOpenAiDouble({
    replyTo: async ({ messages }) => {
      await delay(modelMs);
      const last = (messages as { role: string; content: string }[]).findLast(({ role }) => role === 'user');
      return { text: answerTo(last?.content ?? '') };
    },
  });
  atEnd(() => model.close());
  const carrier = await startCarrierProcess({
    folder,
    numbers: [ourNumber],
    phones: { ...phones, [talkerDigits]: talker },
  });
  atEnd(() => carrier.end());
  const delivered = new Set<string>();
  const reported = new Set<string>();
  const receiver = await httpReceiver((request, response) => {
    const [, kind, id = ''] = (request.url ?? '').split('/');
    if (kind === 'webhook') delivered.add(String(request.headers['webhook-id']));
    else reported.add(id);
    request.resume();
    response.end('{}');
  });
  const publicPort = await freePort();
  const instances = new Instances(
    {
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_API_KEY: key,
      LOG_LEVEL: 'warn',
      RATE_LIMIT: 'off',
      CALL_RATE: 'off',
      CALL_CONCURRENCY: '1000',
      MEDIA_DIR: join(folder, 'media'),
      PUBLIC_URL: `http://127.0.0.1:${publicPort}`,
      TRUSTED_PROXIES: '127.0.0.1/32',
      TWILIO_BASE_URL: carrier.address,
      OPENAI_BASE_URL: model.baseUrl,
      OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
    { file: join(import.meta.dirname, 'service.ts') },
  );
  atEnd(() => instances.end());
  await instances.start(2);
  const proxy = await startProxy(name, {
    folder,
    port: publicPort,
    instancePorts: [instances.port(0), instances.port(1)],
  });
  atEnd(() => proxy.end());
  const refusals = new Refusals();
  const client = new VoiceAgents({ baseUrl: proxy.url, apiKey: key, maxRetries, fetch: refusals.fetch });
  const receiverUrl = `http://127.0.0.1:${receiver.port}`;
  await client.webhooks.create({ url: `${receiverUrl}/webhook`, events: ['*'] });
  const agents = await createAgents(client);
  const phoneNumberId = await importNumber(client, agents.phone);
  await createWorkflow(client, receiverUrl);
  return {
    database,
    instances,
    carrier,
    client,
    refusals,
    agents,
    phoneNumberId,
    delivered,
    reported,
  };
}

/** Has the database itself write down which process has a spoken call: processes that are killed cannot be asked. */
async function watchOwners(database: Database): Promise<void> {
  for (const statement of [
    'CREATE TABLE owner_changes (number BIGSERIAL PRIMARY KEY, id TEXT NOT NULL, at BIGINT NOT NULL, owner TEXT)',
    `CREATE FUNCTION note_owner() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO owner_changes (id, at, owner)
          VALUES (NEW.id, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, NEW.owner);
        RETURN NULL;
      END $$`,
    `CREATE TRIGGER note_owner AFTER UPDATE ON calls FOR EACH ROW
      WHEN (NEW.type = 'phone' AND OLD.owner IS DISTINCT FROM NEW.owner) EXECUTE FUNCTION note_owner()`,
  ])
    await database.run(statement);
}

export function answerTo(text: string): string {
  return `You said ${text}`;
}

async function createAgents(client: VoiceAgents): Promise<Scene['agents']> {
  const responseEngine = { type: 'single_prompt', model: 'gpt-5.4-mini', prompt: 'Repeat what you hear.' } as const;
  const basic = {
    ...testSpeech,
    responseEngine,
    responsiveness: 1,
    interruptionSensitivity: 1,
    dataStorageSetting: 'everything',
    postCallAnalysisModel: 'test-extract',
  } as const;
  const create = async (fields: object): Promise<string> => {
    const { id } = await client.agents.create({ name: 'Agent', ...basic, ...fields });
    await client.agents.publish(id);
    return id;
  };
  const recorded = { agentSettings: { calls: { recordingEnabled: true } } };
  return {
    chat: await create({ beginMessage: '' }),
    web: await create({ beginMessage: '', ...recorded }),
    phone: await create({ beginMessage: 'Hello there.', ...recorded }),
  };
}

/** The number of the account at the carrier, once it can be called and can call. */
async function importNumber(client: VoiceAgents, agentId: string): Promise<string> {
  const account = { provider: 'twilio', settings: { accountSid }, credentials: { authToken } } as const;
  const { id: carrierId } = await client.carriers.create({ name: 'Carrier', ...account, limits });
  const { id } = await client.phoneNumbers.import({
    carrierId,
    number: ourNumber,
    outbound: { enabled: true },
    inbound: { agentId },
  });
  await eventually(async () => {
    const { verifiedAt, checks } = await client.phoneNumbers.get(id);
    return verifiedAt !== null && checks.every(({ status }) => status !== 'failed');
  }, 'the check of the number');
  return id;
}

async function createWorkflow(client: VoiceAgents, receiverUrl: string): Promise<void> {
  const { id } = await client.workflows.create({
    name: 'After each chat',
    trigger: { event: 'call_ended', filter: { field: 'type', op: 'eq', value: 'chat' } },
    steps: [
      { id: 'report', type: 'http_request', method: 'POST', url: `${receiverUrl}/workflow/{{call.id}}`, body: {} },
      { id: 'pause', type: 'wait', seconds: 1 },
      { id: 'note', type: 'update_call', metadata: { reported: 'yes' } },
    ],
  });
  await client.workflows.update(id, { enabled: true });
}
