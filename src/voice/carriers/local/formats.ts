import { createHmac, randomBytes } from 'node:crypto';
import { dayOfNumber, weekdayOf } from '../../calendar.ts';

export const apiVersion = '2010-04-01';
const dayMs = 86_400_000;
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Twilio's ids: two letters and 32 hexadecimal digits. */
export type SidPrefix = 'AC' | 'CA' | 'CF' | 'MZ' | 'PN';

export function newSid(prefix: SidPrefix): string {
  return `${prefix}${randomBytes(16).toString('hex')}`;
}

/** As in `Wed, 18 Nov 2026 13:25:54 +0000`: times in resources and webhooks. */
export function rfc2822(epochMs: number): string {
  const number = Math.floor(epochMs / dayMs);
  const { year, month, day } = dayOfNumber(number);
  return `${weekdays[weekdayOf(number)]}, ${twoDigits(day)} ${months[month - 1]} ${year} ${timeOfDay(epochMs)} +0000`;
}

/** As in `2026-11-18T13:25:54.123Z`: times of stream events and of the log. */
export function iso8601(epochMs: number): string {
  const { year, month, day } = dayOfNumber(Math.floor(epochMs / dayMs));
  const ms = String(Math.floor(epochMs) % 1000).padStart(3, '0');
  return `${year}-${twoDigits(month)}-${twoDigits(day)}T${timeOfDay(epochMs)}.${ms}Z`;
}

/** `X-Twilio-Signature`: the address, then each parameter sorted by name, name and value without separators. */
export function signatureOf(authToken: string, url: string, parameters: Readonly<Record<string, string>>): string {
  const names = Object.keys(parameters).sort();
  const signed = names.reduce((text, name) => text + name + parameters[name], url);
  return createHmac('sha1', authToken).update(signed, 'utf8').digest('base64');
}

function timeOfDay(epochMs: number): string {
  const seconds = Math.floor((epochMs % dayMs) / 1000);
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(twoDigits).join(':');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
