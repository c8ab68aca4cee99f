import type { Reply } from '../connection.ts';

/**
 * A response as one string, for byte-by-byte comparison. Only values that always differ are removed or replaced: the
 * date, the request id (in the header and in the body), and the numbers of the rate limit (RateLimit, Retry-After, and
 * the seconds in the message of a 429).
 */
export function signatureOf({ status, headers, body }: Reply): string {
  const lines = [...headers]
    .filter(([name]) => name !== 'date')
    .map(([name, value]) => `${name}: ${name === 'ratelimit' ? value.replaceAll(/\d+/g, 'N') : value}`)
    .sort();
  const whole = `${status}\n${lines.join('\n')}\n\n${body.toString('utf8')}`;
  const requestId = headers.get('x-request-id');
  const named = requestId === undefined ? whole : whole.replaceAll(requestId, 'REQUEST');
  return status === 429 ? named.replace(/retry-after: \d+/, 'retry-after: N').replace(/in \d+ s/, 'in N s') : named;
}

/**
 * The same for responses about newly created resources: their ids, times and secrets are replaced too, with the ETag
 * and length that depend on them.
 */
export function shapeOf(reply: Reply): string {
  return signatureOf(reply)
    .replaceAll(/(agt|key|aud|call|cev|ana|whk|evt|dlv|rpl|car|num|wfl|run|kb|doc|chk|viw|alr)_[0-9a-z]{30}/g, '$1_ID')
    .replaceAll(/vak_[0-9A-Za-z]{38}/g, 'SECRET')
    .replaceAll(/whsec_[0-9A-Za-z+/=]{44}/g, 'SECRET')
    .replaceAll(/vat_[\w.-]+/g, 'TOKEN')
    .replaceAll(/vak_[0-9A-Za-z]{4}…/g, 'HINT')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"(\w+Ms)":\d+/g, '"$1":N')
    .replaceAll(/\+999\d{8}/g, 'NUMBER')
    .replaceAll(/PN\w{32}/g, 'NUMBER_ID')
    .replaceAll(/content-length: \d+/g, 'content-length: N')
    .replaceAll(/etag: \S+/g, 'etag: TAG');
}

/** All response data, to search for what must not be in it. */
export function textOf({ headers, body }: Reply): string {
  return `${[...headers].map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${body.toString('utf8')}`;
}

/** A short description of where two strings differ. */
export function differenceOf(one: string, other: string): string {
  let place = 0;
  while (place < one.length && one[place] === other[place]) place += 1;
  const part = (text: string) => JSON.stringify(text.slice(Math.max(0, place - 20), place + 60));
  return `${part(one)} against ${part(other)}`;
}
