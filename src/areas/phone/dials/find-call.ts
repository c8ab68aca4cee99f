import type { Database } from '../../../storage/database.ts';
import type { CarrierCall, CarrierClient } from '../../../voice/carriers/carrier.ts';
import type { Dial, DialStore } from './store.ts';

export interface Wanted {
  readonly from: string;
  readonly to: string;
  readonly sentAt: number;
}

export type FindCall = ReturnType<typeof createFindCall>;

/**
 * Looks for a call that the carrier did not confirm in its list: between these numbers, not older than the request, and
 * not linked to another call. Undefined if there is none, or if it could be that of another request.
 */
export function createFindCall(database: Database, dials: DialStore) {
  return async (client: CarrierClient, dial: Dial, { from, to, sentAt }: Wanted): Promise<CarrierCall | undefined> => {
    const found = (await client.findCalls({ from, to, since: sentAt })).filter(
      ({ direction }) => direction === 'outbound',
    );
    const ids = found.map(({ providerCallId }) => providerCallId);
    const linked = await dials.linked(database, dial.carrierId, ids);
    const unlinked = found.filter(({ providerCallId }) => !linked.has(providerCallId));
    if (unlinked.length !== 1 || (await dials.hasUnconfirmedTwin(database, dial))) return undefined;
    return unlinked[0];
  };
}
