import type { Carrier } from '../../../contract/phone/carrier.ts';
import {
  defaultInbound,
  defaultOutbound,
  type NewNumberFields,
  type NumberChanges,
  type PhoneNumber,
  type PhoneNumberStatus,
} from '../../../contract/phone/phone-number.ts';
import type { Check, CheckName } from '../../../contract/phone/values.ts';
import { countryOfNumber } from '../../../contract/phone-number.ts';
import { etagOf } from '../../../core/etag.ts';

export function newPhoneNumber(
  id: string,
  { id: carrierId, workspaceId }: Pick<Carrier, 'id' | 'workspaceId'>,
  { number, name = number, inbound, outbound }: NewNumberFields,
  now: string,
): PhoneNumber {
  return {
    id,
    workspaceId,
    carrierId,
    number,
    name,
    country: countryOfNumber(number),
    status: 'verifying',
    inbound: merged<PhoneNumber['inbound']>({ ...defaultInbound, allowedCountries: [], blockedNumbers: [] }, inbound),
    outbound: merged<PhoneNumber['outbound']>({ ...defaultOutbound, agentIds: [] }, outbound),
    checks: [],
    verifiedAt: null,
    providerNumberId: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** Merges `inbound` and `outbound`; lists and the fallback are replaced. */
export function changedNumber(number: PhoneNumber, { name, inbound, outbound }: NumberChanges): PhoneNumber {
  return {
    ...number,
    name: name ?? number.name,
    inbound: merged(number.inbound, inbound ?? {}),
    outbound: merged(number.outbound, outbound ?? {}),
  };
}

/** The number after its checks. `found`: at the carrier; undefined if it could not be asked. */
export function verifiedNumber(
  phoneNumber: PhoneNumber,
  checks: readonly Check[],
  found: { readonly providerNumberId: string } | null | undefined,
  now: string,
): PhoneNumber {
  const providerNumberId = found === undefined ? phoneNumber.providerNumberId : (found?.providerNumberId ?? null);
  return { ...phoneNumber, status: statusOf(checks), checks: [...checks], verifiedAt: now, providerNumberId };
}

/** Changes with every field except what checks find. */
export function numberTag({
  checks: _,
  status: __,
  verifiedAt: ___,
  providerNumberId: ____,
  ...rest
}: PhoneNumber): string {
  return etagOf(JSON.stringify(rest));
}

/** What calls in one direction depend on. */
const outboundChecks: readonly CheckName[] = ['credentials', 'public_address', 'number_owned'];
const inboundChecks: readonly CheckName[] = [...outboundChecks, 'inbound_route', 'agent'];

/** The checks that keep calls from being made from the number. */
export function failedForOutbound({ checks }: Pick<PhoneNumber, 'checks'>): readonly Check[] {
  return failedAmong(checks, outboundChecks);
}

function statusOf(checks: readonly Check[]): PhoneNumberStatus {
  const isOutboundFine = failedAmong(checks, outboundChecks).length === 0;
  const isInboundFine = failedAmong(checks, inboundChecks).length === 0;
  if (isOutboundFine && isInboundFine) return 'active';
  return isOutboundFine || isInboundFine ? 'partial' : 'failed';
}

function failedAmong(checks: readonly Check[], names: readonly CheckName[]): readonly Check[] {
  return checks.filter(({ name, status }) => status === 'failed' && names.includes(name));
}

function merged<T extends object>(known: T, changes: { readonly [Name in keyof T]?: T[Name] | undefined }): T {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { ...known, ...given };
}
