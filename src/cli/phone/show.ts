import type { Carrier, PhoneCheck, PhoneNumber } from '../../../sdk/src/schema.ts';
import { type Format, paint } from '../context.ts';
import { describeGroups, withoutEmpty } from '../terminal/fields.ts';
import { visible } from '../terminal/text.ts';

const formats: Readonly<Record<PhoneCheck['status'], Format>> = { passed: 'green', failed: 'red', manual: 'yellow' };
const nameWidth = 'public_address'.length;

/** A line per check, and what to do about it. */
export function describeChecks(checks: readonly PhoneCheck[], stream: NodeJS.WriteStream): string {
  if (checks.length === 0) return '';
  const lines = checks.flatMap(({ name, status, message, remedy }) => [
    `  ${paint(formats[status], status.padEnd(6), stream)}  ${name.padEnd(nameWidth)}  ${visible(message)}`,
    ...(remedy === null ? [] : [`  ${' '.repeat(nameWidth + 10)}${visible(remedy)}`]),
  ]);
  return `\n${paint('bold', 'Checks', stream)}\n${lines.map((line) => `${line}\n`).join('')}`;
}

export function describeCarrier(carrier: Carrier, stream: NodeJS.WriteStream): string {
  const { id, name, provider, status, settings, credentials, limits, checks, verifiedAt, createdAt } = carrier;
  const isSet = Object.entries(credentials).filter(([, state]) => state?.set);
  const fields = {
    name,
    provider,
    status,
    ...settings,
    credentials: isSet.map(([credential]) => credential).join(', ') || null,
    verifiedAt,
    createdAt,
  };
  const { allowedCountries, maxConcurrent, ...numeric } = limits;
  const shownLimits = {
    allowedCountries: allowedCountries?.join(', ') ?? 'those of its numbers',
    ...numeric,
    maxConcurrent: maxConcurrent ?? 'no limit',
  };
  const title = paint('bold', id, stream);
  return `${describeGroups(title, withoutEmpty(fields), { Limits: shownLimits }, stream)}${describeChecks(checks, stream)}`;
}

export function describeNumber(phoneNumber: PhoneNumber, stream: NodeJS.WriteStream): string {
  const { id, number, name, country, carrierId, status, inbound, outbound, checks, verifiedAt, createdAt } =
    phoneNumber;
  const title = `${paint('bold', number, stream)}  ${id}`;
  const fields = withoutEmpty({ name, country, status, carrierId, verifiedAt, createdAt });
  const groups = { Inbound: withoutEmpty(inbound), Outbound: withoutEmpty(outbound) };
  return `${describeGroups(title, fields, groups, stream)}${describeChecks(checks, stream)}`;
}

export function hasFailedCheck({ checks }: Pick<PhoneNumber | Carrier, 'checks'>): boolean {
  return checks.some(({ status }) => status === 'failed');
}
