import type { Carrier } from '../../../contract/phone/carrier.ts';
import type { NumberAtCarrier } from '../../../contract/phone/carrier-operations.ts';
import { notFound, resourceInUse, unprocessable, upstreamError } from '../../../core/errors.ts';
import { isId } from '../../../core/ids.ts';
import { throwIssues } from '../../../core/issues.ts';
import { isSameJson } from '../../../core/merge-patch.ts';
import { requireMatch } from '../../../http/operations/conditions.ts';
import type { Queries, Reads } from '../../../storage/database.ts';
import { CarrierError } from '../../../voice/carriers/carrier.ts';
import type { Checks } from '../checks.ts';
import type { PhoneHandlers } from '../handlers.ts';
import {
  changedCarrier,
  foreignIn,
  mergedCredentials,
  missingIn,
  newCarrier,
  newTestAccount,
  verifiedCarrier,
} from './carrier.ts';
import type { CarrierRow, CarrierStatusChange, CarrierStore } from './store.ts';

export interface CarrierRouteParts {
  readonly reads: Reads;
  readonly carriers: CarrierStore;
  /** The ids of its numbers that were imported. */
  readonly numberIds: (queries: Queries, workspaceId: string, id: string) => Promise<readonly string[]>;
  /** The same by number. */
  readonly numberIdsByNumber: (workspaceId: string, id: string) => Promise<ReadonlyMap<string, string>>;
  readonly checks: Checks;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly onStatusChange: (queries: Queries, change: CarrierStatusChange) => Promise<void>;
  /** The carrier has no further events. */
  readonly forgetSubject: (queries: Queries, workspaceId: string, id: string) => Promise<void>;
}

type Handlers = Pick<
  PhoneHandlers,
  | 'carriers.create'
  | 'carriers.list'
  | 'carriers.get'
  | 'carriers.update'
  | 'carriers.delete'
  | 'carriers.verify'
  | 'carriers.numbers.list'
>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of short handlers.
export function carrierRoutes(parts: CarrierRouteParts): Handlers {
  const { reads, carriers, numberIds, numberIdsByNumber, checks, newId, now, onStatusChange, forgetSubject } = parts;
  const timestamp = () => new Date(now()).toISOString();
  const found = <Row>(row: Row | undefined): Row => {
    if (row === undefined) throw notFound('carrier');
    return row;
  };
  const read = async (workspaceId: string, id: string): Promise<CarrierRow> =>
    found(isId('car', id) ? await carriers.read(reads, workspaceId, id) : undefined);
  const lock = async (queries: Queries, workspaceId: string, id: string): Promise<CarrierRow> =>
    found(isId('car', id) ? await carriers.lock(queries, workspaceId, id) : undefined);
  const noteStatus = async (queries: Queries, before: Carrier, after: Carrier, reason: string): Promise<void> => {
    if (before.status === after.status) return;
    const { workspaceId, id } = before;
    await onStatusChange(queries, { workspaceId, id, from: before.status, to: after.status, reason });
  };

  return {
    'carriers.create': async ({ caller: { workspaceId }, body, queries }) => {
      const { provider, settings, credentials } = body;
      throwIssues(foreignIn(provider, { settings, credentials }), unprocessable);
      const carrier = newCarrier({ id: newId('car'), workspaceId }, body, timestamp());
      const given = mergedCredentials({}, credentials);
      throwIssues(missingIn(carrier, given));
      await carriers.requireRoom(queries, workspaceId);
      const etag = await carriers.insert(queries, carrier, provider === 'test' ? newTestAccount() : given);
      return { body: carrier, headers: { etag }, resourceId: carrier.id, resourceName: carrier.name };
    },

    'carriers.list': async ({ caller, query: { limit, ...filters }, position, nextPage }) =>
      nextPage(await carriers.page(caller.workspaceId, position?.after ?? null, limit, filters)),

    'carriers.get': async ({ caller, params }) => {
      const { carrier, etag } = await read(caller.workspaceId, params.id);
      return { body: carrier, headers: { etag } };
    },

    'carriers.update': async ({ caller: { workspaceId }, params: { id }, body, ifMatch, queries }) => {
      const row = await lock(queries, workspaceId, id);
      const { carrier, etag } = row;
      requireMatch(ifMatch, etag);
      throwIssues(foreignIn(carrier.provider, body), unprocessable);
      const changed = changedCarrier(carrier, body, timestamp());
      const credentials = mergedCredentials(carriers.givenCredentials(row), body.credentials);
      throwIssues(missingIn(changed, credentials), unprocessable);
      const named = { resourceId: id, resourceName: changed.name };
      if (isSameJson(changed, carrier)) return { body: carrier, headers: { etag }, ...named };
      const next = { ...changed, updatedAt: timestamp() };
      if (body.credentials !== undefined) await carriers.replaceCredentials(queries, next, credentials);
      await noteStatus(queries, carrier, next, 'Its settings or credentials were changed.');
      return { body: next, headers: { etag: await carriers.replace(queries, next) }, ...named };
    },

    'carriers.delete': async ({ caller: { workspaceId }, params: { id }, ifMatch, queries }) => {
      const { carrier, etag } = found(
        isId('car', id) ? await carriers.lockForDeletion(queries, workspaceId, id) : undefined,
      );
      requireMatch(ifMatch, etag);
      const usedBy = await numberIds(queries, workspaceId, id);
      if (usedBy.length > 0) throw resourceInUse('carrier', usedBy);
      await carriers.remove(queries, workspaceId, id);
      await forgetSubject(queries, workspaceId, id);
      return { body: { id, deleted: true }, resourceId: id, resourceName: carrier.name };
    },

    'carriers.verify': async ({ caller: { workspaceId }, params: { id }, signal, record }) => {
      const row = await read(workspaceId, id);
      const results = await checks.ofCarrier(row, signal);
      return record(async (queries) => {
        const locked = await lock(queries, workspaceId, id);
        // Changed meanwhile: the results are those of other settings.
        if (locked.etag !== row.etag) return replyOf(locked);
        const verified = verifiedCarrier(locked.carrier, results, timestamp());
        const isActive = verified.status === 'active';
        await noteStatus(queries, locked.carrier, verified, isActive ? 'Its checks passed.' : 'A check failed.');
        const etag = await carriers.replace(queries, verified, isActive ? 0 : null);
        return replyOf({ carrier: verified, etag });
      });
    },

    'carriers.numbers.list': async ({ caller: { workspaceId }, params: { id } }) => {
      const row = await read(workspaceId, id);
      const imported = await numberIdsByNumber(workspaceId, id);
      const listed = await (await carriers.client(row)).listNumbers().catch((error: unknown) => {
        if (error instanceof CarrierError) throw upstreamError(row.carrier.provider, error.code, error.isRetryable);
        throw error;
      });
      const items = listed.map(
        ({ number, name, hasVoice }): NumberAtCarrier => ({
          number,
          name: name.slice(0, 255),
          voice: hasVoice,
          importedAs: imported.get(number) ?? null,
        }),
      );
      return { body: { items, pagination: { nextCursor: null } } };
    },
  };
}

function replyOf({ carrier, etag }: Pick<CarrierRow, 'carrier' | 'etag'>) {
  return { body: carrier, headers: { etag }, resourceId: carrier.id, resourceName: carrier.name };
}
