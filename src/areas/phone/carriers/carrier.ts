import { randomBytes } from 'node:crypto';
import {
  type Carrier,
  type CarrierChanges,
  type CarrierProvider,
  type CredentialName,
  credentialNames,
  defaultLimits,
  type NewCarrierFields,
} from '../../../contract/phone/carrier.ts';
import { etagOf } from '../../../core/etag.ts';
import type { Issue } from '../../../core/issues.ts';

/** The credentials of a carrier in the clear: they are stored sealed, and never in its document. */
export type Credentials = Readonly<Partial<Record<CredentialName, string>>>;

/** What the account of a test carrier is made of. */
export interface TestAccount {
  readonly accountSid: string;
  readonly authToken: string;
}

/** The credentials that a provider requires; a test carrier has an account of its own. */
const requiredCredentials: Readonly<Record<CarrierProvider, readonly CredentialName[]>> = {
  test: [],
  twilio: ['authToken'],
};
const knownCredentials: Readonly<Record<CarrierProvider, readonly CredentialName[]>> = {
  test: [],
  twilio: credentialNames,
};

/** The account of a test carrier at the local carrier, which nobody else has to know. */
export function newTestAccount(): TestAccount {
  return { accountSid: `AC${randomBytes(16).toString('hex')}`, authToken: randomBytes(16).toString('hex') };
}

export function newCarrier(
  { id, workspaceId }: Pick<Carrier, 'id' | 'workspaceId'>,
  { name, provider, settings, credentials, limits }: NewCarrierFields,
  now: string,
): Carrier {
  return {
    id,
    workspaceId,
    name,
    provider,
    settings,
    credentials: credentialStates(provider, {}, given(credentials), now),
    limits: { ...defaultLimits, ...given(limits) },
    status: 'unverified',
    checks: [],
    verifiedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The carrier with these changes. A changed setting or credential has to be verified again. */
export function changedCarrier(carrier: Carrier, changes: CarrierChanges, now: string): Carrier {
  const credentials = changes.credentials ?? {};
  const settings = { ...carrier.settings, ...given(changes.settings ?? {}) };
  const isUnverified =
    Object.values(credentials).some((value) => value !== undefined) ||
    settings.accountSid !== carrier.settings.accountSid;
  return {
    ...carrier,
    name: changes.name ?? carrier.name,
    settings,
    credentials: credentialStates(carrier.provider, carrier.credentials, given(credentials), now),
    limits: { ...carrier.limits, ...given(changes.limits ?? {}) },
    ...(isUnverified ? { status: 'unverified' as const, checks: [], verifiedAt: null } : {}),
  };
}

/** Omitted credentials are kept; null removes one. */
export function mergedCredentials(known: Credentials, changes: CarrierChanges['credentials'] = {}): Credentials {
  return given(
    Object.fromEntries(Object.entries({ ...known, ...given(changes) }).filter(([, value]) => value !== null)),
  );
}

/** What a carrier of this provider lacks. */
export function missingIn({ provider, settings }: Pick<Carrier, 'provider' | 'settings'>, known: Credentials): Issue[] {
  const missing: Issue[] = requiredCredentials[provider]
    .filter((name) => known[name] === undefined)
    .map((name) => ({ path: ['credentials', name], message: 'is required' }));
  if (provider === 'twilio' && settings.accountSid === undefined) {
    missing.unshift({ path: ['settings', 'accountSid'], message: 'is required' });
  }
  if ((known.apiKeySid === undefined) !== (known.apiKeySecret === undefined)) {
    const name = known.apiKeySid === undefined ? 'apiKeySid' : 'apiKeySecret';
    missing.push({ path: ['credentials', name], message: 'is required: an API key has both a SID and a secret' });
  }
  return missing;
}

/** What belongs to another provider. */
export function foreignIn(
  provider: CarrierProvider,
  { settings = {}, credentials = {} }: Pick<CarrierChanges, 'settings' | 'credentials'>,
): Issue[] {
  const foreign: Issue[] = credentialNames
    .filter((name) => credentials[name] !== undefined && !knownCredentials[provider].includes(name))
    .map((name) => ({ path: ['credentials', name], message: `is not a credential of the provider ${provider}` }));
  if (provider === 'test' && settings.accountSid !== undefined) {
    foreign.unshift({ path: ['settings', 'accountSid'], message: 'is not a setting of the provider test' });
  }
  return foreign;
}

/** Changes with every field except what checks and calls find. */
export function carrierTag({ checks: _, status: __, verifiedAt: ___, ...rest }: Carrier): string {
  return etagOf(JSON.stringify(rest));
}

/** The carrier after its checks. One that is failing stays so unless all of them passed. */
export function verifiedCarrier(carrier: Carrier, checks: Carrier['checks'], now: string): Carrier {
  const isPassed = checks.every(({ status }) => status !== 'failed');
  const status = isPassed ? 'active' : carrier.status === 'failing' ? 'failing' : 'unverified';
  return { ...carrier, status, checks, verifiedAt: now };
}

/** The carrier without its credentials, which have to be set again. */
export function withoutCredentials(carrier: Carrier, now: string): Carrier {
  const credentials = credentialStates(carrier.provider, {}, {}, now);
  return { ...carrier, credentials, status: 'unverified', checks: [], verifiedAt: null, updatedAt: now };
}

/** Calls in a row that fail at the carrier. */
export const failuresUntilFailing = 3;

function credentialStates(
  provider: CarrierProvider,
  known: Carrier['credentials'],
  changes: Readonly<Partial<Record<CredentialName, string | null>>>,
  now: string,
): Carrier['credentials'] {
  const states = knownCredentials[provider].map((name) => {
    const value = changes[name];
    if (value === undefined) return [name, known[name] ?? { set: false, updatedAt: null }];
    return [name, value === null ? { set: false, updatedAt: null } : { set: true, updatedAt: now }];
  });
  return Object.fromEntries(states);
}

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Without the fields that are undefined. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
