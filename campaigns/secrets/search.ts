/** A text that must not leak, in all of its encoded forms. */
export interface Secret {
  readonly name: string;
  readonly text: string;
  readonly forms: ReadonlyMap<string, string>;
}

/**
 * A hint shows eight characters of a key, so nine must not appear anywhere; a parser would quote ten of an invalid
 * body.
 */
const beginning = 9;
const end = 8;

export function secretOf(name: string, text: string): Secret {
  return { name, text, forms: formsOf(text) };
}

/** Each form as bytes, one character per byte. */
function formsOf(text: string): Map<string, string> {
  const bytes = Buffer.from(text);
  const forms = new Map<string, string>();
  const add = (form: string, value: string): void => {
    if (![...forms.values()].includes(value)) forms.set(form, value);
  };
  add('whole', bytes.toString('latin1'));
  add('by its beginning', Buffer.from([...text].slice(0, beginning).join('')).toString('latin1'));
  add('by its end', Buffer.from([...text].slice(-end).join('')).toString('latin1'));
  add('JSON-escaped', Buffer.from(JSON.stringify(text).slice(1, -1)).toString('latin1'));
  add('JSON-escaped twice', Buffer.from(JSON.stringify(JSON.stringify(text)).slice(3, -3)).toString('latin1'));
  add('percent-encoded', encodeURIComponent(text));
  add(
    'percent-encoded in lower case',
    encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  );
  add('in hexadecimal', bytes.toString('hex'));
  add('in UTF-16', Buffer.from(text, 'utf16le').toString('latin1'));
  for (const encoding of ['base64', 'base64url'] as const) {
    // Within other bytes, base64 may start at three different offsets of a group.
    for (const [before, cut] of [
      [0, 0],
      [1, 2],
      [2, 3],
    ] as const) {
      const encoded = Buffer.concat([Buffer.alloc(before), bytes])
        .toString(encoding)
        .replaceAll('=', '');
      add(`in ${encoding}, shifted by ${before}`, encoded.slice(cut, -2));
    }
  }
  return forms;
}

interface Needle {
  readonly secret: Secret;
  readonly form: string;
  readonly bytes: Buffer;
}

const keyBytes = 4;

/**
 * Searches for all forms of all secrets in one pass: at each position, the last four bytes select the forms that could
 * end there. Searching for each form separately would take minutes with hundreds of secrets and a whole database.
 */
export class Search {
  readonly #secrets = new Set<Secret>();
  readonly #needles = new Map<number, Needle[]>();

  /** Each secret with the first form in which it was found. */
  find(haystack: string | Buffer, among: readonly Secret[]): string[] {
    return [...this.matches(haystack, among)].map(([{ name }, form]) => `${name}, ${form}`);
  }

  matches(haystack: string | Buffer, among: readonly Secret[]): ReadonlyMap<Secret, string> {
    for (const secret of among) this.#learn(secret);
    const wanted = new Set(among);
    const found = new Map<Secret, string>();
    const text = typeof haystack === 'string' ? Buffer.from(haystack) : haystack;
    for (let end = keyBytes; end <= text.length; end += 1) {
      const candidates = this.#needles.get(text.readUInt32LE(end - keyBytes));
      if (candidates === undefined) continue;
      for (const { secret, form, bytes } of candidates) {
        if (!wanted.has(secret) || found.has(secret) || bytes.length > end) continue;
        if (text.compare(bytes, 0, bytes.length, end - bytes.length, end) === 0) found.set(secret, form);
      }
    }
    return found;
  }

  #learn(secret: Secret): void {
    if (this.#secrets.has(secret)) return;
    this.#secrets.add(secret);
    for (const [form, value] of secret.forms) {
      const bytes = Buffer.from(value, 'latin1');
      const key = bytes.readUInt32LE(bytes.length - keyBytes);
      const needle = { secret, form, bytes };
      const others = this.#needles.get(key);
      if (others === undefined) this.#needles.set(key, [needle]);
      else others.push(needle);
    }
  }
}
