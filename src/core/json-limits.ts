/** A conversation flow that fills a body of 1 MiB has 26,000 members at most, of short steps. */
export const maxMembers = 30_000;
/** Members and items. The same flow has some 45,000. */
export const maxValues = 100_000;
/** `"a":1,` is the shortest member: a text with less for each cannot exceed either limit. */
const minMemberLength = 6;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Which limit a JSON text exceeds. Validating, merging and comparing a body of 1 MiB takes up to half a second if it
 * consists of nothing but tiny members. They are counted in the text, since V8 needs four times as long to list the names
 * of so large an object as to parse it. The result means nothing for a text that is not valid JSON.
 */
export function exceededLimit(text: string): string | undefined {
  if (text.length < maxMembers * minMemberLength) return undefined;
  let members = 0;
  let values = 0;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === quote) place = endOfString(text, place);
    else if (code === comma) values += 1;
    else if (code === colon) members += 1;
    else if (code === openBrace) values += text.charCodeAt(place + 1) === closeBrace ? 0 : 1;
    else if (code === openBracket) values += text.charCodeAt(place + 1) === closeBracket ? 0 : 1;
    if (members > maxMembers) return `more than ${maxMembers} members`;
    if (values > maxValues) return `more than ${maxValues} values`;
  }
  return undefined;
}

/** The place of the quotation mark that ends the string which starts at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
