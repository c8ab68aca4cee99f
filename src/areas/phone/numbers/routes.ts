import type { Carrier } from '../../../contract/phone/carrier.ts';
import type { NewNumberFields, NumberChanges, PhoneNumber } from '../../../contract/phone/phone-number.ts';
import { phoneNumberIssue } from '../../../contract/phone-number.ts';
import { notFound, resourceInUse, unprocessable } from '../../../core/errors.ts';
import { isId } from '../../../core/ids.ts';
import { type Issue, throwIssues } from '../../../core/issues.ts';
import { isSameJson } from '../../../core/merge-patch.ts';
import { requireMatch } from '../../../http/operations/conditions.ts';
import { addressIssue } from '../../../net/address.ts';
import type { AllowedNetworks } from '../../../net/networks.ts';
import type { Queries, Reads } from '../../../storage/database.ts';
import type { CarrierStore } from '../carriers/store.ts';
import type { Checks } from '../checks.ts';
import type { Destinations } from '../destinations.ts';
import type { PhoneHandlers } from '../handlers.ts';
import type { TestCalls } from '../test-calls.ts';
import type { NumberJobs } from './jobs.ts';
import { changedNumber, newPhoneNumber, verifiedNumber } from './phone-number.ts';
import type { NumberRow, NumberStore } from './store.ts';

export interface NumberRouteParts {
  readonly reads: Reads;
  readonly carriers: CarrierStore;
  readonly numbers: NumberStore;
  readonly checks: Checks;
  readonly jobs: NumberJobs;
  readonly destinations: Destinations;
  readonly testCalls: TestCalls;
  readonly allowedNetworks: AllowedNetworks;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Filters out ids that are not agents of the workspace. */
  readonly existingAgents: (
    queries: Queries,
    workspaceId: string,
    ids: readonly string[],
  ) => Promise<ReadonlySet<string>>;
  /** The agent gets a secret, if it has none: requests to `inbound.requestUrl` are signed with it. */
  readonly ensureSecret: (queries: Queries, workspaceId: string, agentId: string) => Promise<void>;
  /** The ids of the open calls of a number, up to 20. */
  readonly openCalls: (queries: Queries, workspaceId: string, phoneNumberId: string) => Promise<readonly string[]>;
}

type Handlers = Pick<
  PhoneHandlers,
  | 'phoneNumbers.import'
  | 'phoneNumbers.list'
  | 'phoneNumbers.get'
  | 'phoneNumbers.update'
  | 'phoneNumbers.delete'
  | 'phoneNumbers.verify'
  | 'phoneNumbers.test'
>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of short handlers.
export function numberRoutes(parts: NumberRouteParts): Handlers {
  const { reads, carriers, numbers, checks, jobs, testCalls, newId, now, ensureSecret, openCalls } = parts;
  const timestamp = () => new Date(now()).toISOString();
  const found = <Row>(row: Row | undefined): Row => {
    if (row === undefined) throw notFound('phone number');
    return row;
  };
  const read = async (workspaceId: string, id: string): Promise<NumberRow> =>
    found(isId('num', id) ? await numbers.read(reads, workspaceId, id) : undefined);
  const lock = async (queries: Queries, workspaceId: string, id: string): Promise<NumberRow> =>
    found(isId('num', id) ? await numbers.lock(queries, workspaceId, id) : undefined);
  /** A number always has its carrier. */
  const carrierOf = async (queries: Reads, { workspaceId, carrierId }: PhoneNumber) =>
    found(await carriers.read(queries, workspaceId, carrierId));

  return {
    'phoneNumbers.import': async ({ caller: { workspaceId }, body, queries }) => {
      const { carrierId, number } = body;
      const row = isId('car', carrierId) ? await carriers.reference(queries, workspaceId, carrierId) : undefined;
      if (row === undefined) throw unprocessable({ carrierId: ['is not a carrier of this workspace'] });
      const { carrier } = row;
      throwIssues(importIssues(carrier, body));
      await numbers.requireRoom(queries, workspaceId);
      const known = await numbers.findByNumber(queries, workspaceId, number);
      if (known !== undefined) throw unprocessable({ number: [`is already imported as ${known.phoneNumber.id}`] });
      const phoneNumber = newPhoneNumber(newId('num'), carrier, body, timestamp());
      throwIssues(await routingIssues(parts, queries, carrier, phoneNumber, body), unprocessable);
      const etag = await numbers.insert(queries, phoneNumber, {
        provider: carrier.provider,
        isRouted: body.configureCarrier,
      });
      await keepSecret(queries, phoneNumber);
      await jobs.checkNew(queries, phoneNumber);
      return { body: phoneNumber, headers: { etag }, resourceId: phoneNumber.id, resourceName: phoneNumber.name };
    },

    'phoneNumbers.list': async ({ caller, query: { limit, ...filters }, position, nextPage }) =>
      nextPage(await numbers.page(caller.workspaceId, position?.after ?? null, limit, filters)),

    'phoneNumbers.get': async ({ caller, params }) => {
      const { phoneNumber, etag } = await read(caller.workspaceId, params.id);
      return { body: phoneNumber, headers: { etag } };
    },

    'phoneNumbers.update': async ({ caller: { workspaceId }, params: { id }, body, ifMatch, queries }) => {
      const { phoneNumber, etag } = await lock(queries, workspaceId, id);
      requireMatch(ifMatch, etag);
      const { carrier } = await carrierOf(queries, phoneNumber);
      const changed = changedNumber(phoneNumber, body);
      throwIssues(await routingIssues(parts, queries, carrier, changed, body), unprocessable);
      const named = { resourceId: id, resourceName: changed.name };
      if (isSameJson(changed, phoneNumber)) return { body: phoneNumber, headers: { etag }, ...named };
      const next = { ...changed, updatedAt: timestamp() };
      const nextTag = await numbers.replace(queries, next);
      await keepSecret(queries, next);
      // Whether the agent can answer may have changed.
      if (!isSameJson(next.inbound, phoneNumber.inbound)) await jobs.checkAgain(queries, next);
      return { body: next, headers: { etag: nextTag }, ...named };
    },

    'phoneNumbers.delete': async ({ caller: { workspaceId }, params: { id }, ifMatch, queries }) => {
      const row = await lock(queries, workspaceId, id);
      const { phoneNumber, etag } = row;
      requireMatch(ifMatch, etag);
      const usedBy = await openCalls(queries, workspaceId, id);
      if (usedBy.length > 0) throw resourceInUse('phone number', usedBy);
      await jobs.restore(queries, row, await carrierOf(queries, phoneNumber));
      await numbers.remove(queries, workspaceId, id);
      return { body: { id, deleted: true }, resourceId: id, resourceName: phoneNumber.name };
    },

    'phoneNumbers.verify': async ({ caller: { workspaceId }, params: { id }, signal, record }) => {
      const row = await read(workspaceId, id);
      const carrier = await carrierOf(reads, row.phoneNumber);
      const lookedUp = await checks.find(carrier, row.phoneNumber.number);
      const results = await checks.ofNumber(carrier, row, lookedUp, signal);
      return record(async (queries) => {
        const locked = await lock(queries, workspaceId, id);
        const verified = verifiedNumber(locked.phoneNumber, results, lookedUp.found, timestamp());
        const etag = await numbers.replace(queries, verified);
        return { body: verified, headers: { etag }, resourceId: id, resourceName: verified.name };
      });
    },

    'phoneNumbers.test': async ({ caller: { workspaceId }, params: { id }, body, begin, record }) => {
      const begun = await begin(async (queries) => {
        const row = await read(workspaceId, id);
        const carrier = await carrierOf(queries, row.phoneNumber);
        if (carrier.carrier.provider !== 'test') {
          throw unprocessable({}, ['only numbers of a carrier of the provider test can be called by test phones']);
        }
        return { resourceId: id, resourceName: row.phoneNumber.name, result: { row, carrier } };
      });
      if (begun.saved !== null) return begun.saved;
      const { row, carrier } = begun.result;
      const callId = await testCalls.call(carrier, row.phoneNumber, body);
      return record(async () => ({ body: { callId }, resourceId: id }));
    },
  };

  async function keepSecret(queries: Queries, { workspaceId, inbound }: PhoneNumber): Promise<void> {
    const { requestUrl, agentId } = inbound;
    if (requestUrl !== null && agentId !== null) await ensureSecret(queries, workspaceId, agentId);
  }
}

/** What is wrong with the number for this carrier. */
function importIssues({ provider }: Carrier, { number }: NewNumberFields): Issue[] {
  const path = ['number'];
  const message = phoneNumberIssue(number, provider === 'test' ? 'test' : 'public');
  if (message !== null) return [{ path, message }];
  if (provider !== 'test' || number.startsWith('+9991')) return [];
  return [{ path, message: 'must be +9991 and seven digits: the other numbers of the test carrier are phones' }];
}

/** What is wrong with the agents and addresses that a request names. */
async function routingIssues(
  { destinations, existingAgents, allowedNetworks }: NumberRouteParts,
  queries: Queries,
  carrier: Carrier,
  { workspaceId, number, country, inbound }: PhoneNumber,
  given: Pick<NumberChanges, 'inbound' | 'outbound'>,
): Promise<Issue[]> {
  const issues: Issue[] = [];
  const inboundAgent = given.inbound?.agentId ?? null;
  const outboundAgents = given.outbound?.agentIds ?? [];
  const named = [...(inboundAgent === null ? [] : [inboundAgent]), ...outboundAgents];
  const agents = named.length === 0 ? new Set<string>() : await existingAgents(queries, workspaceId, named);
  if (inboundAgent !== null && !agents.has(inboundAgent)) {
    issues.push({ path: ['inbound', 'agentId'], message: `there is no agent ${inboundAgent}` });
  }
  for (const id of outboundAgents) {
    if (!agents.has(id)) issues.push({ path: ['outbound', 'agentIds'], message: `there is no agent ${id}` });
  }
  if (inbound.requestUrl !== null) {
    const path = ['inbound', 'requestUrl'];
    const message = addressIssue(inbound.requestUrl, { schemes: ['https'], allowedNetworks });
    if (message !== undefined) issues.push({ path, message });
    else if (inbound.agentId === null) {
      issues.push({ path, message: 'needs an inbound.agentId, whose secret signs the requests' });
    }
  }
  const fallback = given.inbound?.fallback ?? null;
  if (fallback?.type === 'number') {
    const { to } = fallback;
    const destination = { carrier, to, moment: 'transfer', moreCountries: [country] } as const;
    const message =
      to === number ? 'is the number itself' : (await destinations.forbiddenBy(queries, destination))?.issue;
    if (message !== undefined) issues.push({ path: ['inbound', 'fallback', 'to'], message });
  }
  return issues;
}
