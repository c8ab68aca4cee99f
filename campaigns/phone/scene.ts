import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import type { Phone } from '../../src/voice/carriers/local/phones.ts';
import { locationOf } from '../../test/support/engines.ts';
import type { Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { Instances } from '../repeat/instances.ts';
import { accountSid, authToken, type CarrierProcess, startCarrierProcess } from './carrier.ts';
import { openFrontDoor } from './front-door.ts';
import { ourNumber } from './settings.ts';

export interface PhoneSceneOptions {
  readonly instances: number;
  /** CALL_CONCURRENCY. */
  readonly slots: number;
  readonly phones?: Readonly<Record<string, Phone>>;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The service behind its public address, connected to an account at a carrier in a process of its own. */
export interface PhoneScene {
  readonly database: Database;
  readonly instances: Instances;
  readonly carrier: CarrierProcess;
  readonly key: string;
  readonly workspaceId: string;
  readonly carrierId: string;
  readonly phoneNumberId: string;
  readonly publicUrl: string;
  /** A request that must succeed, at an instance that is up. */
  // biome-ignore lint/suspicious/noExplicitAny: campaigns read few fields of their own requests.
  must(method: string, path: string, body?: object): Promise<any>;
}

/** Speech that needs no models: words travel inside the audio. */
export const testSpeech = { sttProvider: 'test', ttsProvider: 'test', voiceId: 'test', language: 'en' };
export const limits = { maxCallsPerSecond: 50, maxMinutesPerDay: 1_000_000 };

const maxCheckMs = 15_000;
const maxTries = 40;
const busyMs = 500;

export async function openPhoneScene(run: Run, options: PhoneSceneOptions): Promise<PhoneScene> {
  const databaseUrl = await run.newDatabaseUrl();
  const [key] = await makeKeys(databaseUrl, [{ workspace: 'phone' }]);
  if (key === undefined) throw new Error('the key was not made');
  const database = openDatabase(locationOf(databaseUrl), () => {});
  run.atEnd(() => database.close());
  const { phones = {} } = options;
  const carrier = await startCarrierProcess({ folder: run.folder, numbers: [ourNumber], phones });
  run.atEnd(() => carrier.end());
  const door = await openFrontDoor();
  run.atEnd(() => door.close());
  const settings = {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    CALL_RATE: 'off',
    CALL_CONCURRENCY: String(options.slots),
    MEDIA_DIR: join(run.folder, 'media'),
    PUBLIC_URL: door.url,
    TWILIO_BASE_URL: carrier.address,
    ...options.settings,
  };
  const instances = new Instances(settings, { file: join(import.meta.dirname, 'service.ts') });
  run.atEnd(() => instances.end());
  await instances.start(options.instances);
  door.ports = Array.from({ length: options.instances }, (_, place) => instances.port(place));
  const must = async (method: string, path: string, body?: object, tries = maxTries) => {
    const connection = new Connection(instances.port(await instances.pick(run.random)));
    const content = body === undefined ? {} : { body };
    const reply = await connection.request(method, `/api/v1/${path}`, { key: key.secret, ...content });
    connection.close();
    // The process is too busy, or it was just killed.
    if (reply.status === 503 && tries > 1) {
      await delay(busyMs);
      return must(method, path, body, tries - 1);
    }
    if (reply.status > 299) throw new Error(`${method} ${path} was answered ${reply.status}: ${reply.body}`);
    return JSON.parse(reply.body.toString());
  };
  const account = { provider: 'twilio', settings: { accountSid }, credentials: { authToken } };
  const { id: carrierId } = await must('POST', 'carriers', { name: 'Carrier', ...account, limits });
  const imported = { carrierId, number: ourNumber, outbound: { enabled: true } };
  const { id: phoneNumberId } = await must('POST', 'phone-numbers', imported);
  await untilChecked(must, phoneNumberId);
  const { secret, workspaceId } = key;
  const ids = { key: secret, workspaceId, carrierId, phoneNumberId };
  return { database, instances, carrier, ...ids, publicUrl: door.url, must };
}

/** A job checks the number, and tells the carrier to send its calls here. */
async function untilChecked(must: PhoneScene['must'], id: string): Promise<void> {
  const deadline = performance.now() + maxCheckMs;
  for (;;) {
    const { verifiedAt, checks } = await must('GET', `phone-numbers/${id}`);
    const failed = checks.find(
      ({ name, status }: { name: string; status: string }) => status === 'failed' && name !== 'agent',
    );
    if (verifiedAt !== null && failed === undefined) return;
    if (performance.now() > deadline) throw new Error(`the number cannot be used: ${JSON.stringify(failed)}`);
    await delay(50);
  }
}

/** Jobs of phone calls that have used up their attempts, with their last error. */
export async function failedJobs({ database }: PhoneScene): Promise<string[]> {
  const rows = await database.all<{ kind: string; error: string | null }>(
    "SELECT kind, last_error AS error FROM jobs WHERE state = 'failed' AND kind LIKE 'phone.%'",
  );
  return rows.map(({ kind, error }) => `${kind}: ${error ?? 'its process was lost'}`);
}

/** The messages of errors. A process that was killed in a transaction leaves others without the database: 503. */
export function errorsIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line))
    .map((line) => JSON.parse(line))
    .filter(({ err }) => !err?.message.endsWith('Try again shortly.'))
    .map(({ msg, kind, err }) => [msg, kind, err?.message, placeOf(err?.stack)].filter((part) => part !== undefined))
    .map((parts) => parts.join(', '));
}

/** Where in our code an error was thrown. */
function placeOf(stack = ''): string | undefined {
  return /\bsrc\/[\w./-]+:\d+/.exec(stack)?.[0];
}
