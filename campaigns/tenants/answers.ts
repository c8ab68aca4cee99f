import type { Reply } from '../connection.ts';

/**
 * An answer as one text, to be compared byte by byte. Left out or replaced is only what differs from answer to answer by
 * its nature: the date, the id of the request (in its header and where the body repeats it), and the figures that count
 * or tell the time of the rate (RateLimit, Retry-After, and the seconds in the sentence of a 429).
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
 * The same for answers about things that were just made, each with an id, a time and a secret of its own: these are
 * replaced too, with the tag and the length that follow from them.
 */
export function shapeOf(reply: Reply): string {
  return signatureOf(reply)
    .replaceAll(/(agt|key|aud)_[0-9a-z]{30}/g, '$1_ID')
    .replaceAll(/vak_[0-9A-Za-z]{38}/g, 'SECRET')
    .replaceAll(/vak_[0-9A-Za-z]{4}…/g, 'HINT')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/etag: \S+/g, 'etag: TAG');
}

/** Everything that came over the wire, to look for what must not be in it. */
export function textOf({ headers, body }: Reply): string {
  return `${[...headers].map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${body.toString('utf8')}`;
}

/** Where two texts begin to differ, in a few words. */
export function differenceOf(one: string, other: string): string {
  let place = 0;
  while (place < one.length && one[place] === other[place]) place += 1;
  const part = (text: string) => JSON.stringify(text.slice(Math.max(0, place - 20), place + 60));
  return `${part(one)} against ${part(other)}`;
}
