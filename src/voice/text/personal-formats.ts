import type { NormalizedText } from './normalized.ts';
import type { PersonalSpan } from './personal-data-tags.ts';

/** E-mail addresses, written and spoken, and IP addresses. */
export function findPersonalFormats(text: NormalizedText): PersonalSpan[] {
  return [...emails(text.plain), ...spokenEmails(text.plain), ...ipAddresses(text.plain)];
}

const domain = /[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,10}/y;

/** Searches for @ first: an expression that begins with the local part would take quadratic time. */
function emails(text: string): PersonalSpan[] {
  const spans: PersonalSpan[] = [];
  let after = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', Math.max(after, at + 1))) {
    const start = scanLeft(text, at, after, /[a-z0-9._%+'-]/);
    domain.lastIndex = at + 1;
    const name = domain.exec(text)?.[0].replace(/[.-]+$/, '') ?? '';
    if (start < at && /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(name)) {
      after = at + 1 + name.length;
      spans.push({ start, end: after, tag: 'EMAIL' });
    }
  }
  return spans;
}

/** Where the characters before `end` that match begin, at most 64 and not before `least`. */
function scanLeft(text: string, end: number, least: number, matches: RegExp): number {
  let start = end;
  while (start > least && end - start < 64 && matches.test(text[start - 1] as string)) start -= 1;
  return start;
}

const spokenAt = /アットマーク|あっとまーく|アット(?!ホーム)|\bat ?mark\b|\bat sign\b|@|\bat\b/g;
const label = '(?:[a-z0-9-]{1,63}(?:[ ,、]{1,2}[a-z0-9](?![a-z0-9])){0,30}|[ァ-ヶー]{1,20}?)';
/** A dot before a space ends a sentence, unless there is one on both sides. */
const spokenDot = '(?:\\.(?!\\s)|\\s{1,2}\\.\\s{1,2}|\\s{0,2}(?:ドット|どっと|\\bdot\\b)\\s{0,2})';
const lastLabel = '(?:[a-z]{2,24}|[a-z](?:[ ,、]{1,2}[a-z](?![a-z])){1,10}|[ァ-ヶー]{1,12})';
const spokenDomain = new RegExp(
  `[\\s、,]{0,2}${label}(?:${spokenDot}${label}){0,4}${spokenDot}${lastLabel}(?![a-z0-9])`,
  'y',
);
const joiner = /^(?:dot|ドット|underscore|アンダーバー|アンダースコア|dash|hyphen|ハイフン|plus|プラス)$/;
/** `look at example dot com` names a site. */
const notALocalPart =
  /^(?:look|us|me|it|them|visit|work|works|available|online|site|website|page|here|book|order|shop|find|found|is|are|be|and|or|store|up|i'm)$/;

function spokenEmails(text: string): PersonalSpan[] {
  const spans: PersonalSpan[] = [];
  let after = 0;
  for (const match of text.matchAll(spokenAt)) {
    spokenDomain.lastIndex = match.index + match[0].length;
    const found = spokenDomain.exec(text)?.[0];
    if (found === undefined) continue;
    const local = localPartBefore(text, match.index, after);
    if (local === undefined) continue;
    const isWord = match[0] === 'at';
    if (isWord && (!/\bdot\b|ドット/.test(found) || notALocalPart.test(text.slice(local, match.index).trim())))
      continue;
    after = match.index + match[0].length + found.length;
    spans.push({ start: local, end: after, tag: 'EMAIL' });
  }
  return spans;
}

/** The last word before the at sign, with letters spelled one by one and words joined by `dot` or `underscore`. */
function localPartBefore(text: string, at: number, least: number): number | undefined {
  let start: number | undefined;
  let place = at;
  let mustJoin = false;
  while (at - place < 120) {
    const end = scanLeft(text, place, least, /[\s、,]/);
    if (place - end > 2) break;
    const from = wordBefore(text, end, least);
    if (from === end) break;
    const word = text.slice(from, end);
    const isJoiner = joiner.test(word);
    const isSingle = word.length === 1;
    if (mustJoin && !isJoiner && !isSingle) break;
    if (isJoiner && start === undefined) break;
    start = isJoiner ? start : from;
    mustJoin = !isJoiner;
    place = from;
  }
  return start;
}

function wordBefore(text: string, end: number, least: number): number {
  for (const script of [/[a-z0-9._%+'-]/, /[ァ-ヶー]/]) {
    const start = scanLeft(text, end, least, script);
    if (start < end) return start;
  }
  const start = scanLeft(text, end, Math.max(least, end - 12), /[ぁ-んー一-龠々]/);
  const particle = Math.max(text.lastIndexOf('は', end - 1), text.lastIndexOf('が', end - 1));
  return particle >= start ? particle + 1 : start;
}

const ipv4 = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)/g;
const ipv6 = /(?<![\w:.])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}(?![\w:])/g;

function ipAddresses(text: string): PersonalSpan[] {
  if (!/[.:]/.test(text)) return [];
  const found = [...text.matchAll(ipv4)].filter(([address]) =>
    address.split('.').every((octet) => Number(octet) < 256),
  );
  const longer = [...text.matchAll(ipv6)].filter(([address]) => isIpv6(address));
  return [...found, ...longer].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    tag: 'IP_ADDRESS',
  }));
}

/** A time such as 12:30:45 has too few groups, and a::b in a program no digit. */
function isIpv6(address: string): boolean {
  const halves = address.split('::');
  const groups = address.split(':').filter((group) => group !== '');
  if (halves.length > 2 || /^:[^:]|[^:]:$/.test(address)) return false;
  if (halves.length === 1) return groups.length === 8;
  return groups.length <= 7 && (groups.length >= 3 || /\d/.test(address));
}
