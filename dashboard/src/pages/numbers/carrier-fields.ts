import type { Carrier, CarrierCredentialChanges, CreateCarrier, UpdateCarrier } from '../../../../sdk/src/index.ts';

export type Provider = Carrier['provider'];

/** A carrier as it is entered. Credentials are empty unless they are to be changed. */
export interface CarrierFields {
  readonly name: string;
  readonly provider: Provider;
  readonly accountSid: string;
  readonly authToken: string;
  readonly hasApiKey: boolean;
  readonly apiKeySid: string;
  readonly apiKeySecret: string;
  readonly countries: readonly string[];
  /** Empty while they are being typed. */
  readonly minutes: number | '';
  readonly perSecond: number | '';
  /** Empty: no limit. */
  readonly concurrent: number | '';
}

export type CarrierIssues = { readonly [Name in keyof CarrierFields]?: string | undefined };

export interface CarrierIssueTexts {
  readonly nameMissing: string;
  readonly accountSidWrong: string;
  readonly authTokenMissing: string;
  readonly apiKeyBoth: string;
  wrongNumber(min: string, max: string): string;
}

export function fieldsOf(carrier: Carrier | null, provider: Provider, name: string): CarrierFields {
  const limits = carrier?.limits;
  return {
    name: carrier?.name ?? name,
    provider: carrier?.provider ?? provider,
    accountSid: carrier?.settings.accountSid ?? '',
    authToken: '',
    hasApiKey: carrier?.credentials.apiKeySid?.set ?? false,
    apiKeySid: '',
    apiKeySecret: '',
    countries: limits?.allowedCountries ?? [],
    minutes: limits?.maxMinutesPerDay ?? 600,
    perSecond: limits?.maxCallsPerSecond ?? 1,
    concurrent: limits?.maxConcurrent ?? '',
  };
}

export function issuesOf(fields: CarrierFields, carrier: Carrier | null, texts: CarrierIssueTexts): CarrierIssues {
  const { name, provider, accountSid, authToken, hasApiKey, apiKeySid, apiKeySecret } = fields;
  const isIn = (value: number | '', min: number, max: number) => value !== '' && value >= min && value <= max;
  const isTwilio = provider === 'twilio';
  const isKeyKept = carrier?.credentials.apiKeySid?.set === true && apiKeySid === '' && apiKeySecret === '';
  const isKeyPartial = isTwilio && hasApiKey && !isKeyKept && (apiKeySid === '' || apiKeySecret === '');
  return {
    ...(name.trim() === '' && { name: texts.nameMissing }),
    ...(isTwilio && !/^AC[0-9a-fA-F]{32}$/.test(accountSid) && { accountSid: texts.accountSidWrong }),
    ...(isTwilio && carrier === null && authToken === '' && { authToken: texts.authTokenMissing }),
    ...(isKeyPartial && { apiKeySecret: texts.apiKeyBoth }),
    ...(!isIn(fields.minutes, 0, 1_000_000) && { minutes: texts.wrongNumber('0', '1,000,000') }),
    ...(!isIn(fields.perSecond, 0.1, 50) && { perSecond: texts.wrongNumber('0.1', '50') }),
    ...(fields.concurrent !== '' &&
      !isIn(fields.concurrent, 1, 100_000) && { concurrent: texts.wrongNumber('1', '100,000') }),
  };
}

/** The paths of the fields in requests, as the service names them. */
export const pathsOfFields = {
  name: 'name',
  accountSid: 'settings.accountSid',
  authToken: 'credentials.authToken',
  apiKeySid: 'credentials.apiKeySid',
  apiKeySecret: 'credentials.apiKeySecret',
  countries: 'limits.allowedCountries',
  minutes: 'limits.maxMinutesPerDay',
  perSecond: 'limits.maxCallsPerSecond',
  concurrent: 'limits.maxConcurrent',
} as const satisfies Partial<Record<keyof CarrierFields, string>>;

export function creationOf(fields: CarrierFields): CreateCarrier {
  const { provider, accountSid, authToken, hasApiKey, apiKeySid, apiKeySecret } = fields;
  const name = fields.name.trim();
  if (provider === 'test') return { name, provider, limits: limitsOf(fields) };
  const credentials = { authToken, ...(hasApiKey ? { apiKeySid, apiKeySecret } : {}) };
  return { name, provider, settings: { accountSid }, credentials, limits: limitsOf(fields) };
}

export function changesOf(fields: CarrierFields, carrier: Carrier): UpdateCarrier {
  const name = fields.name.trim();
  if (carrier.provider === 'test') return { name, limits: limitsOf(fields) };
  const credentials = credentialChanges(fields, carrier);
  return {
    name,
    settings: { accountSid: fields.accountSid },
    ...(Object.keys(credentials).length > 0 && { credentials }),
    limits: limitsOf(fields),
  };
}

function credentialChanges(fields: CarrierFields, carrier: Carrier): CarrierCredentialChanges {
  const { authToken, hasApiKey, apiKeySid, apiKeySecret } = fields;
  const had = carrier.credentials.apiKeySid?.set === true;
  return {
    ...(authToken !== '' && { authToken }),
    ...(hasApiKey && apiKeySid !== '' && { apiKeySid, apiKeySecret }),
    ...(!hasApiKey && had && { apiKeySid: null, apiKeySecret: null }),
  };
}

function limitsOf({ countries, minutes, perSecond, concurrent }: CarrierFields) {
  return {
    allowedCountries: countries.length === 0 ? null : [...countries],
    maxMinutesPerDay: Number(minutes),
    maxCallsPerSecond: Number(perSecond),
    maxConcurrent: concurrent === '' ? null : concurrent,
  };
}
