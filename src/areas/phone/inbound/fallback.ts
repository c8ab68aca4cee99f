import type { PhoneNumber } from '../../../contract/phone/phone-number.ts';
import type { Database, Queries } from '../../../storage/database.ts';
import { dialDocument, rejectDocument, sayDocument } from '../../../voice/carriers/twilio/documents.ts';
import { callAddresses } from '../addresses.ts';
import type { CarrierRow } from '../carriers/store.ts';
import type { Destinations } from '../destinations.ts';
import { type Dial, type DialStore, fallbackLeg } from '../dials/store.ts';

export interface FallbackParts {
  readonly database: Database;
  readonly dials: DialStore;
  readonly destinations: Destinations;
  readonly now: () => number;
}

/** The document for a call that the agent cannot answer. A number that may not be dialed is not. */
export async function fallbackDocument(
  { database, dials, destinations, now }: FallbackParts,
  { carrier, base }: { readonly carrier: CarrierRow; readonly base: string },
  { callId, workspaceId, carrierId }: Dial,
  { inbound, outbound, number }: PhoneNumber,
): Promise<string> {
  const { fallback } = inbound;
  if (fallback === null || fallback.type === 'reject') return rejectDocument();
  if (fallback.type === 'message') {
    const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(fallback.text);
    return sayDocument(fallback.text, isJapanese ? 'ja' : 'en');
  }
  const { to } = fallback;
  /** The leg that the carrier dials, so that its minutes count. Its row is there already if the carrier asks again. */
  const addLeg = async (queries: Queries): Promise<boolean> => {
    const destination = { carrier: carrier.carrier, to, moment: 'transfer' } as const;
    if ((await destinations.forbiddenBy(queries, destination)) !== null) return false;
    await dials.insert(queries, {
      ...{ callId, leg: fallbackLeg, workspaceId, carrierId, direction: 'outbound', state: 'sent' },
      ...{ providerCallId: null, mode: null, destination: null, createdAt: now(), plan: null },
    });
    return true;
  };
  if (!(await database.transaction(addLeg))) return rejectDocument();
  return dialDocument({
    ...{ to, callerId: number, ringTimeoutMs: outbound.ringTimeoutMs, actionUrl: null, extension: null },
    statusUrl: callAddresses(base, carrierId, callId).briefStatus(fallbackLeg),
    // The first links the leg, so that it is not taken for a call that we dialed.
    statusEvents: ['initiated', 'answered', 'completed'],
  });
}
