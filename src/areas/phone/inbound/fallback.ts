import type { PhoneNumber } from '../../../contract/phone/phone-number.ts';
import type { Database } from '../../../storage/database.ts';
import { dialDocument, rejectDocument, sayDocument } from '../../../voice/carriers/twilio/documents.ts';
import type { CarrierRow } from '../carriers/store.ts';
import type { Destinations } from '../destinations.ts';

/** The document for a call that the agent cannot answer. A number that may not be dialed is not. */
export async function fallbackDocument(
  { database, destinations }: { readonly database: Database; readonly destinations: Destinations },
  carrier: CarrierRow,
  { inbound, outbound, number }: PhoneNumber,
): Promise<string> {
  const { fallback } = inbound;
  if (fallback === null || fallback.type === 'reject') return rejectDocument();
  if (fallback.type === 'message') {
    const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(fallback.text);
    return sayDocument(fallback.text, isJapanese ? 'ja' : 'en');
  }
  const { to } = fallback;
  const forbidden = await database.transaction((queries) =>
    destinations.forbiddenBy(queries, { carrier: carrier.carrier, to, moment: 'transfer' }),
  );
  if (forbidden !== null) return rejectDocument();
  const { ringTimeoutMs } = outbound;
  return dialDocument({ to, callerId: number, ringTimeoutMs, actionUrl: null, extension: null, answeredUrl: null });
}
