import type { PhoneNumber } from '../../../contract/phone/phone-number.ts';
import type { JobKind } from '../../../jobs/kind.ts';
import type { JobQueue } from '../../../jobs/queue.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import {
  type CarrierClient,
  type CarrierCredentials,
  CarrierError,
  type NumberRoute,
} from '../../../voice/carriers/carrier.ts';
import { carrierPath, numberAddresses } from '../addresses.ts';
import type { CarrierRow, CarrierStore } from '../carriers/store.ts';
import type { Checks, FoundNumber } from '../checks.ts';
import { verifiedNumber } from './phone-number.ts';
import type { NumberRow, NumberStore } from './store.ts';

export interface NumberJobParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly carriers: CarrierStore;
  readonly numbers: NumberStore;
  readonly checks: Checks;
  readonly clientOf: (
    provider: CarrierRow['carrier']['provider'],
    credentials: CarrierCredentials,
  ) => Promise<CarrierClient>;
  /** A number was imported, or its inbound settings have changed. */
  readonly onChecked: (phoneNumber: PhoneNumber) => Promise<void>;
  readonly now: () => number;
}

interface CheckPayload {
  readonly phoneNumberId: string;
  /** Whether to send its calls here. */
  readonly routes: boolean;
}

/** Sealed: the carrier may be deleted before it runs. */
interface RestorePayload {
  readonly provider: CarrierRow['carrier']['provider'];
  readonly carrierId: string;
  readonly credentials: CarrierCredentials;
  readonly number: string;
  readonly formerRoute: NumberRoute;
}

export type NumberJobs = ReturnType<typeof createNumberJobs>;

const minuteMs = 60_000;
const common = {
  maxAttempts: 6,
  retryDelaysMs: [1000, 15_000, minuteMs, 10 * minuteMs, 60 * minuteMs],
  timeoutMs: minuteMs,
  concurrency: 5,
  concurrencyPerWorkspace: 2,
};

/** What happens at the carrier after a number was imported, changed or deleted. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createNumberJobs(parts: NumberJobParts) {
  const { database, jobs, carriers, numbers, checks, clientOf, now } = parts;

  /** Sends the calls of a number here, after it has noted where they went before. */
  const route = async (row: NumberRow, carrier: CarrierRow, lookedUp: FoundNumber): Promise<FoundNumber> => {
    const base = carriers.publicBase(carrier);
    if (!lookedUp.found || base === null) return lookedUp;
    const { providerNumberId, voiceUrl, statusUrl, hasVoice } = lookedUp.found;
    const { voice, status } = numberAddresses(base, carrier.carrier.id);
    if (!hasVoice || (voiceUrl === voice && statusUrl === status)) return lookedUp;
    const { workspaceId, id } = row.phoneNumber;
    // The address of an earlier import is not one to return to.
    if (!isOurs(voiceUrl, carrier.carrier.id)) {
      await database.transaction((queries) =>
        numbers.keepFormerRoute(queries, workspaceId, id, { voiceUrl, statusUrl }),
      );
    }
    try {
      await (await carriers.client(carrier)).routeNumber(providerNumberId, { voiceUrl: voice, statusUrl: status });
    } catch (error) {
      if (error instanceof CarrierError && !error.isRetryable) return lookedUp;
      throw error;
    }
    return { found: { ...lookedUp.found, voiceUrl: voice, statusUrl: status }, failure: null };
  };

  const checkKind: JobKind<CheckPayload> = {
    ...common,
    name: 'phone.numbers.check',
    run: async ({ workspaceId, payload: { phoneNumberId, routes } }, { signal }) => {
      if (workspaceId === null) return;
      const row = await numbers.read(database, workspaceId, phoneNumberId);
      const carrier = row && (await carriers.read(database, workspaceId, row.phoneNumber.carrierId));
      if (row === undefined || carrier === undefined) return;
      const { number } = row.phoneNumber;
      let lookedUp = await checks.find(carrier, number);
      let routingError: unknown = null;
      if (routes && row.isRouted) {
        lookedUp = await route(row, carrier, lookedUp).catch((error: unknown) => {
          routingError = error;
          return lookedUp;
        });
      }
      const results = await checks.ofNumber(carrier, row, lookedUp, signal);
      signal.throwIfAborted();
      await database.transaction(async (queries) => {
        const locked = await numbers.lock(queries, workspaceId, phoneNumberId);
        if (locked === undefined) return;
        const at = new Date(now()).toISOString();
        await numbers.replace(queries, verifiedNumber(locked.phoneNumber, results, lookedUp.found, at));
      });
      await parts.onChecked(row.phoneNumber);
      // The results say what failed; another attempt may succeed.
      if (routingError !== null) throw routingError;
      if (routes && row.isRouted && lookedUp.failure !== null) throw new Error('The carrier could not be asked.');
    },
  };

  const restoreKind: JobKind<RestorePayload> = {
    ...common,
    name: 'phone.numbers.restore',
    isSealed: true,
    run: async ({ workspaceId, payload }) => {
      if (workspaceId === null) return;
      const { provider, carrierId, credentials, number, formerRoute } = payload;
      const imported = await numbers.findByNumber(database, workspaceId, number);
      if (imported !== undefined && imported.phoneNumber.carrierId === carrierId) {
        // Imported again: its next deletion restores what was there before both.
        const { id } = imported.phoneNumber;
        await database.transaction((queries) => numbers.keepFormerRoute(queries, workspaceId, id, formerRoute));
        return;
      }
      const client = await clientOf(provider, credentials);
      const found = await client.findNumber(number);
      if (found === null || !isOurs(found.voiceUrl, carrierId)) return;
      const statusUrl = isOurs(found.statusUrl, carrierId) ? formerRoute.statusUrl : found.statusUrl;
      await client.routeNumber(found.providerNumberId, { voiceUrl: formerRoute.voiceUrl, statusUrl });
    },
  };

  const addCheck = async (queries: Queries, { workspaceId, id }: PhoneNumber, routes: boolean): Promise<void> => {
    await jobs.add(queries, checkKind, { workspaceId, payload: { phoneNumberId: id, routes } });
  };

  return {
    kinds: [checkKind, restoreKind] as JobKind[],

    /** A number was imported. */
    checkNew: (queries: Queries, phoneNumber: PhoneNumber) => addCheck(queries, phoneNumber, true),

    /** What its checks depend on has changed. */
    checkAgain: (queries: Queries, phoneNumber: PhoneNumber) => addCheck(queries, phoneNumber, false),

    /** A number is being deleted: its calls go where they went before the import, if they still come here. */
    restore: async (queries: Queries, { phoneNumber, formerRoute }: NumberRow, carrier: CarrierRow): Promise<void> => {
      const { provider, id: carrierId } = carrier.carrier;
      // The numbers of the test carrier are nowhere else.
      if (formerRoute === null || provider === 'test') return;
      const { workspaceId, number } = phoneNumber;
      const payload = { provider, carrierId, credentials: carriers.credentials(carrier), number, formerRoute };
      await jobs.add(queries, restoreKind, { workspaceId, payload });
    },
  };
}

/** Whatever PUBLIC_URL was when it was set. */
function isOurs(url: string | null, carrierId: string): boolean {
  return (
    url !== null &&
    (url.endsWith(`${carrierPath}/${carrierId}/voice`) || url.endsWith(`${carrierPath}/${carrierId}/status`))
  );
}
