import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Carrier, PhoneNumber } from '../../../sdk/src/schema.ts';
import { CommandError, exitCodes, invalidUsage } from '../failures.ts';
import { checkedId } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';

/** A phone number of the workspace by its id, or as it is dialed. */
export async function findNumber(client: VoiceAgents, target: string): Promise<PhoneNumber> {
  if (!target.startsWith('+')) return client.phoneNumbers.get(checkedId('number', target, 'num', 'numbers list'));
  const digits = target.slice(1);
  if (/^\d{1,15}$/.test(digits)) {
    for await (const found of client.phoneNumbers.list({ q: digits, limit: 100 })) {
      if (found.number === target) return found;
    }
  }
  throw new CommandError(
    `there is no phone number "${visible(target)}": run "voice-agents numbers list" to see them`,
    exitCodes.notFound,
  );
}

/** A carrier by its id or name. Without one, the only carrier that can have the number. */
export async function findCarrier(client: VoiceAgents, target: string | undefined, number: string): Promise<Carrier> {
  if (target !== undefined && /^car_/.test(target)) {
    return client.carriers.get(checkedId('carrier', target, 'car'));
  }
  const isOfTest = number.startsWith('+999');
  const found: Carrier[] = [];
  for await (const carrier of client.carriers.list({ limit: 100 })) {
    if (target === undefined ? (carrier.provider === 'test') === isOfTest : carrier.name === target)
      found.push(carrier);
  }
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (first !== undefined) {
    const lines = found.map(({ id, name, provider }) => `\n  ${id}  ${visible(name)} (${provider})`);
    throw invalidUsage(`several carriers match: name one with --carrier${lines.join('')}`);
  }
  if (target !== undefined) {
    throw new CommandError(`there is no carrier "${visible(target)}"`, exitCodes.notFound);
  }
  throw new CommandError(
    isOfTest
      ? 'there is no carrier for test numbers: run "voice-agents carriers create --provider test"'
      : 'there is no carrier: connect one with "voice-agents carriers create"',
    exitCodes.notFound,
  );
}
