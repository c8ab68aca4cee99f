import type { Agent } from '../../contract/agents/agent.ts';
import { phoneContract } from '../../contract/phone/index.ts';
import type { PhoneNumber } from '../../contract/phone/phone-number.ts';
import type { EventData } from '../../contract/webhooks/events.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import type { Queries, Reads } from '../../storage/database.ts';
import type { CarrierClient, CarrierCredentials } from '../../voice/carriers/carrier.ts';
import { createTwilioClient } from '../../voice/carriers/twilio/client.ts';
import { type Clock, realClock } from '../../voice/clock.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { carrierRoutes } from './carriers/routes.ts';
import { type CarrierStatusChange, createCarrierStore, storedCarriers } from './carriers/store.ts';
import { createChecks } from './checks.ts';
import { createDestinations } from './destinations.ts';
import { createDialing, type DialingParts } from './dialing.ts';
import { doNotCallRoutes } from './do-not-call/routes.ts';
import { createDoNotCallStore } from './do-not-call/store.ts';
import type { Lines } from './lines.ts';
import type { LocalCarrierHost } from './local-carrier.ts';
import { createNumberJobs } from './numbers/jobs.ts';
import { type NumberRouteParts, numberRoutes } from './numbers/routes.ts';
import { createNumberStore, storedNumbers } from './numbers/store.ts';
import { createPublicAddress } from './public-address.ts';
import { createSpeechLoading } from './speech-loading.ts';
import { createTestCalls } from './test-calls.ts';

export interface PhoneSettings {
  /** `PUBLIC_URL`, without a slash at the end. */
  readonly publicUrl: string | null;
  /** `TWILIO_BASE_URL`. */
  readonly twilioUrl: string;
  /** `http://host:port` of the proxy for outbound connections, or null. */
  readonly outboundProxy: string | null;
  readonly allowedNetworks: AllowedNetworks;
  /** How this machine reaches the service, such as `http://127.0.0.1:8080`. */
  readonly ownAddress: () => string;
  /** The carrier behind provider `test`. */
  readonly localCarrier: LocalCarrierHost;
  /** The time of calls. */
  readonly clock?: Clock | undefined;
}

/** What phone numbers need of other areas. */
export interface PhoneDependencies
  extends Pick<NumberRouteParts, 'existingAgents' | 'openCalls'>,
    Pick<DialingParts, 'calls' | 'guard' | 'secrets' | 'isServing'> {
  readonly findAgent: (
    queries: Reads,
    workspaceId: string,
    id: string,
    version: number | 'published' | 'latest',
  ) => Promise<{ readonly agent: Agent } | undefined>;
  /** The agent gets a secret, if it has none. */
  readonly ensureSecret: (queries: Queries, agent: Agent) => Promise<void>;
  readonly writeEvent: (queries: Queries, event: CarrierEvent) => Promise<unknown>;
  readonly forgetSubject: (queries: Queries, workspaceId: string, id: string) => Promise<void>;
}

export interface CarrierEvent {
  readonly workspaceId: string;
  readonly type: 'carrier_status_changed';
  readonly subjectId: string;
  readonly sequence: null;
  readonly agentId: null;
  readonly agentWebhook: null;
  readonly data: EventData<'carrier_status_changed'>;
}

export interface Phone {
  readonly area: Area;
  /** What calls need of phone numbers and carriers. */
  readonly lines: Lines;
}

/** Carriers, their phone numbers, and what may be dialed. */
export function createPhone(kernel: Kernel, settings: PhoneSettings, dependencies: PhoneDependencies): Phone {
  const { database, sealer, now, newId, jobs, logger } = kernel;
  const { publicUrl, twilioUrl, outboundProxy, ownAddress, localCarrier, allowedNetworks } = settings;
  const { clock = realClock } = settings;
  const { existingAgents, openCalls, findAgent, forgetSubject } = dependencies;
  const clientOf = createClients(settings, clock);
  const onStatusChange = async (queries: Queries, { workspaceId, ...data }: CarrierStatusChange): Promise<void> => {
    const about = { subjectId: data.id, sequence: null, agentId: null, agentWebhook: null };
    await dependencies.writeEvent(queries, { workspaceId, type: 'carrier_status_changed', ...about, data });
  };
  const carriers = createCarrierStore({ database, sealer, now, clientOf, publicUrl, ownAddress, onStatusChange });
  const numbers = createNumberStore(database);
  const doNotCall = createDoNotCallStore(database, now);
  const destinations = createDestinations({ carriers, numbers, doNotCall, sealer, now });
  const key = sealer.derive('public address');
  const publicAddress = createPublicAddress({ publicUrl, carrierUrl: twilioUrl, proxy: outboundProxy, key });
  const checks = createChecks({
    carriers,
    publicAddress,
    hasVersion: async (workspaceId, id, version) => (await findAgent(database, workspaceId, id, version)) !== undefined,
    now,
  });
  const agentOf = async ({ workspaceId, inbound: { agentId, agentVersion } }: PhoneNumber) =>
    (agentId === null ? undefined : await findAgent(database, workspaceId, agentId, agentVersion))?.agent;
  const speechLoading = createSpeechLoading({ numbers, agentOf, loadSpeech: dependencies.calls.loadSpeech, logger });
  const testCalls = createTestCalls({ database, carriers, openAccount: localCarrier.open, agentOf, clock });
  const numberJobs = createNumberJobs({
    database,
    jobs,
    carriers,
    numbers,
    checks,
    clientOf,
    onChecked: speechLoading.load,
    now,
  });
  const ensureSecret = async (queries: Queries, workspaceId: string, agentId: string): Promise<void> => {
    const found =
      (await findAgent(queries, workspaceId, agentId, 'published')) ??
      (await findAgent(queries, workspaceId, agentId, 'latest'));
    if (found !== undefined) await dependencies.ensureSecret(queries, found.agent);
  };
  const { calls, guard, secrets, isServing } = dependencies;
  const access = { carriers, numbers, doNotCall, destinations };
  const dialing = createDialing(kernel, { ...access, calls, guard, findAgent, secrets, isServing, clock });
  const shared = { reads: database, carriers, numbers, checks, newId, now };

  const area = defineArea(phoneContract, {
    handlers: {
      ...carrierRoutes({
        ...shared,
        numberIds: numbers.idsOfCarrier,
        numberIdsByNumber: numbers.idsByNumber,
        onStatusChange,
        forgetSubject,
      }),
      ...numberRoutes({
        ...shared,
        jobs: numberJobs,
        destinations,
        testCalls,
        allowedNetworks,
        existingAgents,
        ensureSecret,
        openCalls,
      }),
      ...doNotCallRoutes(doNotCall),
    },
    documents: [...storedCarriers(database), ...storedNumbers(database)],
    jobs: [...numberJobs.kinds, ...dialing.jobs],
    plainRoutes: [publicAddress.route, ...dialing.plainRoutes],
    sockets: dialing.sockets,
    background: speechLoading.background,
    onCallSettled: dialing.onCallSettled,
    onClose: async () => {
      await dialing.onClose();
      await localCarrier.close();
    },
  });
  return { area, lines: dialing.lines };
}

/** Provider `test` is the adapter of Twilio with the local carrier, which starts with its first request. */
function createClients({ twilioUrl, outboundProxy, localCarrier }: PhoneSettings, clock: Clock) {
  return async (provider: 'test' | 'twilio', credentials: CarrierCredentials): Promise<CarrierClient> =>
    provider === 'test'
      ? createTwilioClient({ baseUrl: await localCarrier.open(credentials), credentials, clock })
      : createTwilioClient({ baseUrl: twilioUrl, credentials, proxy: outboundProxy, clock });
}
