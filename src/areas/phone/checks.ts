import type { Carrier } from '../../contract/phone/carrier.ts';
import type { PhoneNumber } from '../../contract/phone/phone-number.ts';
import type { Check, CheckName } from '../../contract/phone/values.ts';
import { CarrierError, type CarrierNumber } from '../../voice/carriers/carrier.ts';
import { numberAddresses } from './addresses.ts';
import type { CarrierRow, CarrierStore } from './carriers/store.ts';
import type { NumberRow } from './numbers/store.ts';
import type { PublicAddress } from './public-address.ts';

export interface CheckParts {
  readonly carriers: Pick<CarrierStore, 'client' | 'publicBase'>;
  readonly publicAddress: Pick<PublicAddress, 'problem'>;
  /** Whether the agent has this version. */
  readonly hasVersion: (workspaceId: string, agentId: string, version: number | 'published') => Promise<boolean>;
  readonly now: () => number;
  readonly timeoutMs?: number;
}

/** What is known of a number at its carrier. */
export type FoundNumber =
  | { readonly found: CarrierNumber | null; readonly failure: null }
  /** The carrier could not be asked. */
  | { readonly found: undefined; readonly failure: string };

export type Checks = ReturnType<typeof createChecks>;

interface Problem {
  readonly message: string;
  readonly remedy: string;
}

/** A passed check has a message only. */
type Result = Problem | { readonly message: string };

/** Runs the checks of carriers and numbers. None of them throws: what fails is their result. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createChecks({ carriers, publicAddress, hasVersion, now, timeoutMs = 15_000 }: CheckParts) {
  const checkOf = (name: CheckName, result: Result): Check => ({
    name,
    status: 'remedy' in result ? 'failed' : 'passed',
    message: result.message,
    remedy: 'remedy' in result ? result.remedy : null,
    checkedAt: new Date(now()).toISOString(),
  });

  const credentials = async (row: CarrierRow): Promise<Result> => {
    if (row.carrier.provider === 'test') return { message: 'The test carrier needs no account.' };
    const remedy =
      'Copy the account SID and the auth token, or an API key, from the console of Twilio into this carrier, make sure that this service can reach api.twilio.com, and verify again.';
    try {
      const result = await (await carriers.client(row)).checkCredentials();
      return result.passed ? { message: 'The account can be used.' } : { message: result.message, remedy };
    } catch (error) {
      return { message: messageOf(error), remedy };
    }
  };

  const address = async ({ carrier }: CarrierRow, signal: AbortSignal): Promise<Result> => {
    if (carrier.provider === 'test') return { message: 'The test carrier is on this machine.' };
    return (
      (await publicAddress.problem(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))) ?? {
        message: 'The carrier can reach this service.',
      }
    );
  };

  const owned = (carrier: Carrier, found: FoundNumber): Result => {
    if (carrier.provider === 'test') return { message: 'The test carrier has every number.' };
    if (found.found === undefined)
      return { message: found.failure, remedy: 'Fix the failed credentials check first, then verify again.' };
    if (found.found === null) {
      return {
        message: 'The number is not in this account.',
        remedy:
          'Look for it in the console of Twilio under Phone Numbers, Active numbers. If another account has it, connect that one as a carrier.',
      };
    }
    if (found.found.hasVoice) return { message: 'The number is in the account and can make calls.' };
    return {
      message: 'The number cannot make or receive calls.',
      remedy: 'Use a voice-capable number; the Twilio console shows the capabilities under Active numbers.',
    };
  };

  const route = (row: CarrierRow, { inbound }: PhoneNumber, found: FoundNumber): Result => {
    const base = carriers.publicBase(row);
    if (row.carrier.provider === 'test') return { message: 'The test carrier sends its calls here.' };
    if (!inbound.enabled) return { message: 'Inbound calls are off.' };
    if (base === null)
      return {
        message: 'PUBLIC_URL is not set, so calls cannot arrive here.',
        remedy: 'Fix the failed public address check first.',
      };
    if (!found.found) {
      return {
        message: 'It is not known where calls to the number go.',
        remedy: 'Fix the failed ownership check first, then verify again.',
      };
    }
    const { voiceUrl, overriddenBy } = found.found;
    if (overriddenBy !== null) {
      return {
        message: `Calls to the number go to ${overriddenBy}, which overrides its voice URL.`,
        remedy: 'Remove the trunk or the application from the number in the console of Twilio, and verify again.',
      };
    }
    const ours = numberAddresses(base, row.carrier.id).voice;
    if (voiceUrl === ours) return { message: 'Calls to the number arrive here.' };
    return {
      message: 'Calls to the number go to another address.',
      remedy: `In the console of Twilio, set "A call comes in" of the number to Webhook, ${ours}, HTTP POST; or delete the number here and import it again.`,
    };
  };

  const agent = async ({ carrier }: CarrierRow, { inbound, workspaceId }: PhoneNumber): Promise<Result> => {
    const { enabled, agentId, agentVersion } = inbound;
    if (!enabled) return { message: 'Inbound calls are off.' };
    if (agentId === null) {
      const message = 'No agent answers calls to the number.';
      return carrier.provider === 'test'
        ? { message }
        : { message, remedy: 'Choose an agent for inbound calls, or turn them off.' };
    }
    if (await hasVersion(workspaceId, agentId, agentVersion)) return { message: 'The agent can answer.' };
    const message =
      agentVersion === 'published'
        ? 'The agent has no published version.'
        : `The agent has no version ${agentVersion}.`;
    const isPassed = carrier.provider === 'test';
    return isPassed ? { message } : { message, remedy: 'Publish the agent, or choose a version that exists.' };
  };

  const find = async (row: CarrierRow, number: string): Promise<FoundNumber> => {
    try {
      return { found: await (await carriers.client(row)).findNumber(number), failure: null };
    } catch (error) {
      return { found: undefined, failure: messageOf(error) };
    }
  };

  const ofCarrier = async (row: CarrierRow, signal: AbortSignal): Promise<Check[]> => {
    const [first, second] = await Promise.all([credentials(row), address(row, signal)]);
    return [checkOf('credentials', first), checkOf('public_address', second)];
  };

  return {
    ofCarrier,
    find,

    /** `found`: by `find`. */
    ofNumber: async (
      row: CarrierRow,
      { phoneNumber }: NumberRow,
      found: FoundNumber,
      signal: AbortSignal,
    ): Promise<Check[]> => {
      const [first, agentResult] = await Promise.all([ofCarrier(row, signal), agent(row, phoneNumber)]);
      return [
        ...first,
        checkOf('number_owned', owned(row.carrier, found)),
        checkOf('inbound_route', route(row, phoneNumber, found)),
        checkOf('agent', agentResult),
      ];
    },
  };
}

/** A CarrierError is a sentence of our own; anything else may quote what was sent. */
function messageOf(error: unknown): string {
  return error instanceof CarrierError ? error.message : 'The carrier could not be asked.';
}
