import type { Agent } from '../../contract/agents/agent.ts';
import type { TestPhone } from '../../contract/phone/number-operations.ts';
import type { PhoneNumber } from '../../contract/phone/phone-number.ts';
import { upstreamError } from '../../core/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { CarrierCredentials } from '../../voice/carriers/carrier.ts';
import type { Clock } from '../../voice/clock.ts';
import { numberAddresses } from './addresses.ts';
import type { CarrierRow, CarrierStore } from './carriers/store.ts';

export interface TestCallParts {
  readonly database: Database;
  readonly carriers: CarrierStore;
  /** The address of the local carrier, which then knows this account. */
  readonly openAccount: (account: CarrierCredentials) => Promise<string>;
  /** The agent that answers, if there is one: the phone speaks its language, and test speech if it hears nothing else. */
  readonly agentOf: (phoneNumber: PhoneNumber) => Promise<Pick<Agent, 'language' | 'sttProvider'> | undefined>;
  readonly clock: Clock;
}

export interface TestCallOptions {
  readonly phone: TestPhone;
  readonly from?: string | undefined;
}

export type TestCalls = ReturnType<typeof createTestCalls>;

const pollMs = 20;
const maxWaitMs = 10_000;

/** Calls of the phones of the local carrier. */
export function createTestCalls({ database, carriers, openAccount, agentOf, clock }: TestCallParts) {
  const delay = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));

  /** Resolves to the carrier's id of the call. */
  const place = async (
    row: CarrierRow,
    phoneNumber: PhoneNumber,
    { phone, from }: TestCallOptions,
  ): Promise<string> => {
    const account = carriers.credentials(row);
    const address = await openAccount(account);
    const agent = await agentOf(phoneNumber);
    const { voice, status } = numberAddresses(carriers.publicBase(row) ?? '', row.carrier.id);
    const response = await fetch(`${address}/local/calls`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${account.accountSid}:${account.authToken}`).toString('base64')}`,
      },
      body: JSON.stringify({
        to: phoneNumber.number,
        phone,
        ...(from === undefined ? {} : { from }),
        ...(agent === undefined ? {} : { language: agent.language }),
        ...(agent?.sttProvider === 'test' ? { speech: 'test' } : {}),
        // The local carrier forgets the routes of numbers when it is restarted.
        voiceUrl: voice,
        statusCallback: status,
      }),
    });
    const { callSid } = (await response.json()) as { callSid?: string };
    if (callSid === undefined) throw upstreamError('test', `HTTP ${response.status}`, false);
    return callSid;
  };

  return {
    /** A phone calls the number. Resolves to the id of the call as soon as the carrier's request has created it. */
    call: async (row: CarrierRow, phoneNumber: PhoneNumber, options: TestCallOptions): Promise<string> => {
      const providerCallId = await place(row, phoneNumber, options);
      for (let waitedMs = 0; waitedMs < maxWaitMs; waitedMs += pollMs) {
        const dial = await database.get<{ call_id: string }>(
          "SELECT call_id FROM phone_dials WHERE carrier_id = $1 AND provider_call_id = $2 AND state <> 'intended'",
          [row.carrier.id, providerCallId],
        );
        if (dial !== undefined) return dial.call_id;
        await delay(pollMs);
      }
      throw upstreamError('test', null, true);
    },
  };
}
