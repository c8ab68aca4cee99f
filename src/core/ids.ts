import { createHash, randomFillSync } from 'node:crypto';

/** Lower-case Crockford base 32: its characters are in ASCII order, so byte order is numeric order. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeCharacters = 10;
const counterCharacters = 4;
const randomCharacters = 16;
/** What fits into the characters of a time. */
const latestTime = 32 ** timeCharacters - 1;
const counterEnd = 32 ** counterCharacters;
/** All pairs of characters, by their ten bits. */
const pairs = Array.from({ length: 32 * 32 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`);
const randomPairs = randomCharacters / 2;

export function idLength(prefix: string): number {
  return prefix.length + 1 + timeCharacters + counterCharacters + randomCharacters;
}

/** Whether a text has the format of an id. Needs no query. */
export function isId(prefix: string, text: string): boolean {
  return (
    text.length === idLength(prefix) &&
    text.startsWith(`${prefix}_`) &&
    /^[0-9a-hjkmnp-tv-z]{30}$/.test(text.slice(prefix.length + 1))
  );
}

/**
 * Generates ids in byte order of their creation: milliseconds, a counter within the millisecond, and 80 random bits, so
 * that no id can be guessed from another. If the clock steps back, the last time is kept.
 */
export function createIdGenerator(now: () => number = Date.now): (prefix: string) => string {
  const randomBits = new Uint16Array(randomPairs * 256);
  let used = randomBits.length;
  let time = 0;
  let timeText = '';
  let counter = 0;

  return (prefix) => {
    const current = now();
    if (current > time) {
      time = current;
      counter = 0;
      timeText = base32(time, timeCharacters);
    } else if (++counter === counterEnd) {
      time += 1;
      counter = 0;
      timeText = base32(time, timeCharacters);
    }
    if (used === randomBits.length) {
      randomFillSync(randomBits);
      used = 0;
    }
    let id = `${prefix}_${timeText}${base32(counter, counterCharacters)}`;
    for (const end = used + randomPairs; used < end; used += 1) id += pairs[(randomBits[used] as number) & 1023];
    return id;
  };
}

/**
 * The id of what is made exactly once because of something else: always the same, sorted by the time of that, and as hard
 * to guess as its id.
 */
export function idFollowing(prefix: string, cause: string, purpose: string): string {
  const digest = createHash('sha256').update(`${cause} ${purpose}`).digest();
  const time = cause.slice(-(timeCharacters + counterCharacters + randomCharacters), -randomCharacters);
  let id = `${prefix}_${time}`;
  for (let pair = 0; pair < randomPairs; pair += 1) id += pairs[digest.readUInt16BE(2 * pair) & 1023];
  return id;
}

/** A text that sorts before every id of this time or later, and after those of earlier times. */
export function firstIdAt(prefix: string, time: number): string {
  return `${prefix}_${base32(Math.min(Math.max(Math.ceil(time), 0), latestTime), timeCharacters)}`;
}

function base32(value: number, length: number): string {
  if (length === counterCharacters) return `${pairs[value >> 10]}${pairs[value & 1023]}`;
  let text = '';
  for (let rest = value, place = 0; place < length; place += 1) {
    text = alphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
