/** How deep objects and arrays may be nested in JSON from outside: requests, frames, and responses of other servers. */
export const maxNesting = 64;

const quote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

export class NestingError extends SyntaxError {
  constructor() {
    super(`nested deeper than ${maxNesting} levels`);
  }
}

/**
 * Parses JSON that another system has sent. Throws a SyntaxError if it is not JSON, and a NestingError if it is nested
 * too deep: V8 parses any depth, but it cannot serialize it again, and no recursive function can read it.
 */
export function parseForeignJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isNestedTooDeep(text)) throw new NestingError();
  return value;
}

/** Whether a valid JSON text is nested deeper than the limit. */
export function isNestedTooDeep(text: string): boolean {
  if (text.length <= 2 * maxNesting) return false;
  let depth = 0;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === quote) place = endOfString(text, place);
    else if (code === openBracket || code === openBrace) {
      depth += 1;
      if (depth > maxNesting) return true;
    } else if (code === closeBracket || code === closeBrace) depth -= 1;
  }
  return false;
}

/** The index of the quotation mark that closes the string starting at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
