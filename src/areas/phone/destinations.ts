import { createHmac } from 'node:crypto';
import type { Carrier } from '../../contract/phone/carrier.ts';
import { countryOfNumber, isPremiumNumber, isTestNumber } from '../../contract/phone-number.ts';
import { type AppError, dailyMinutesUsed, unprocessable } from '../../core/errors.ts';
import type { Sealer } from '../../core/sealer.ts';
import type { Queries } from '../../storage/database.ts';
import type { CarrierStore } from './carriers/store.ts';
import type { DoNotCallStore } from './do-not-call/store.ts';
import type { NumberStore } from './numbers/store.ts';

/** `create`: a new call. `dial`: right before the request to the carrier. `transfer`: a second leg, or a fallback. */
export type DialMoment = 'create' | 'dial' | 'transfer';

export interface Destination {
  readonly carrier: Carrier;
  /** Valid, in E.164 format. */
  readonly to: string;
  readonly moment: DialMoment;
  /** Countries that the carrier is about to have numbers in. */
  readonly moreCountries?: readonly string[];
}

export const dialRules = [
  'provider',
  'country',
  'type',
  'own_number',
  'do_not_call',
  'max_minutes_per_day',
  'same_destination',
] as const;

/** Which rule forbids to dial a number. `issue` follows the name of a field, or "The number". */
export interface Forbidden {
  readonly rule: (typeof dialRules)[number];
  readonly issue: string;
}

export interface DestinationParts {
  readonly carriers: Pick<CarrierStore, 'usedMs'>;
  readonly numbers: Pick<NumberStore, 'findByNumber' | 'countriesOfCarrier'>;
  readonly doNotCall: Pick<DoNotCallStore, 'has'>;
  readonly sealer: Sealer;
  readonly now: () => number;
}

export type Destinations = ReturnType<typeof createDestinations>;

const hourMs = 3_600_000;
const maxCallsPerHour = 10;

/** What may be dialed. Every number that is given to a carrier passes here first. */
export function createDestinations({ carriers, numbers, doNotCall, sealer, now }: DestinationParts) {
  const digestKey = sealer.derive('phone destinations');
  /** Recognizes calls to the same number without storing it. */
  const digestOf = (workspaceId: string, number: string): string =>
    createHmac('sha256', digestKey).update(`${workspaceId} ${number}`).digest('base64url').slice(0, 27);

  /** Rules about the number alone, which also apply to transfers and fallbacks. */
  const forbiddenNumber = async (
    queries: Queries,
    { carrier, to, moreCountries = [] }: Destination,
  ): Promise<Forbidden | null> => {
    const { workspaceId, provider, limits } = carrier;
    if ((await numbers.findByNumber(queries, workspaceId, to)) !== undefined) {
      return { rule: 'own_number', issue: 'is one of your own phone numbers' };
    }
    if (provider === 'test' || isTestNumber(to)) {
      if (provider === 'test' && isTestNumber(to)) return null;
      const issue = provider === 'test' ? 'must be a test number, +999 and eight digits' : 'is a test number';
      return { rule: 'provider', issue: `${issue}: carriers of the provider test call nothing else` };
    }
    const country = countryOfNumber(to);
    if (country === 'ZZ') return { rule: 'type', issue: 'does not belong to a country' };
    if (isPremiumNumber(to)) return { rule: 'type', issue: 'is a premium-rate or shared-cost number' };
    const allowed = limits.allowedCountries ?? [
      ...(await numbers.countriesOfCarrier(queries, workspaceId, carrier.id)),
      ...moreCountries,
    ];
    if (allowed.includes(country)) return null;
    return { rule: 'country', issue: `is in ${country}, which is not in limits.allowedCountries of the carrier` };
  };

  /** The calls to the number in the last hour; at a dial only those that were sent, so that waiting ones do not block each other. */
  const recentCalls = async (queries: Queries, { carrier, to, moment }: Destination): Promise<number> => {
    const time = moment === 'create' ? 'created_at' : 'sent_at';
    const row = await queries.get<{ count: number }>(
      `SELECT count(*) AS count FROM phone_dials
        WHERE workspace_id = $1 AND destination = $2 AND created_at > $3 AND ${time} > $4
          AND direction = 'outbound' AND leg = 'call'`,
      [carrier.workspaceId, digestOf(carrier.workspaceId, to), now() - 48 * hourMs, now() - hourMs],
    );
    return row?.count ?? 0;
  };

  /** Rules about calls. */
  const forbiddenCall = async (queries: Queries, destination: Destination): Promise<Forbidden | null> => {
    const { carrier, to } = destination;
    const { workspaceId, limits } = carrier;
    if (await doNotCall.has(queries, workspaceId, to)) {
      return { rule: 'do_not_call', issue: 'is on the do-not-call list' };
    }
    if ((await recentCalls(queries, destination)) >= maxCallsPerHour) {
      return { rule: 'same_destination', issue: `was called ${maxCallsPerHour} times within the last hour` };
    }
    if ((await carriers.usedMs(queries, carrier)) >= limits.maxMinutesPerDay * 60_000) {
      const issue = `cannot be called before midnight UTC: the carrier has used its ${limits.maxMinutesPerDay} minutes of the day (limits.maxMinutesPerDay)`;
      return { rule: 'max_minutes_per_day', issue };
    }
    return null;
  };

  return {
    digestOf,

    /** The rule that forbids to dial the number, or null. */
    forbiddenBy: async (queries: Queries, destination: Destination): Promise<Forbidden | null> => {
      const forbidden = await forbiddenNumber(queries, destination);
      if (forbidden !== null || destination.moment === 'transfer') return forbidden;
      return forbiddenCall(queries, destination);
    },
  };
}

/** The error of a request that asks for it. `field` has the number. */
export function forbiddenError({ rule, issue }: Forbidden, { limits }: Carrier, field = 'to'): AppError {
  return rule === 'max_minutes_per_day'
    ? dailyMinutesUsed(limits.maxMinutesPerDay)
    : unprocessable({ [field]: [issue] });
}
