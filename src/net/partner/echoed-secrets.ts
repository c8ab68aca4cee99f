/** A shorter value could be a part of ordinary words. */
const minSecretLength = 8;
const replacement = '[SECRET]';

/** A text, and where each of its characters was before it was decoded. */
interface Decoded {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

interface Encoding {
  /** Texts without it are not encoded. */
  readonly sign: string;
  readonly pattern: RegExp;
  /** The characters that a match stands for. */
  readonly decode: (match: string) => string;
}

const jsonEscapes: Encoding = {
  sign: '\\',
  pattern: /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/g,
  decode: (match) => JSON.parse(`"${match}"`),
};

const percentEscapes: Encoding = {
  sign: '%',
  pattern: /%[0-7][0-9a-f]|(?:%[89a-f][0-9a-f])+/gi,
  decode: (match) => Buffer.from(match.replaceAll('%', ''), 'hex').toString(),
};

const named: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

const htmlReferences: Encoding = {
  sign: '&',
  pattern: /&(?:#\d{1,6}|#x[0-9a-f]{1,5}|amp|lt|gt|quot|apos);/gi,
  decode: (match) => {
    const number = match.startsWith('&#') ? Number(`0${match.slice(2, -1)}`) : null;
    return number === null ? (named[match.toLowerCase()] ?? match) : String.fromCodePoint(number);
  },
};

/** What a server may have repeated: as it is, or as a part of JSON, also of JSON in a JSON string, of a URL or of HTML. */
const encodings: readonly (readonly Encoding[])[] = [
  [jsonEscapes],
  [jsonEscapes, jsonEscapes],
  [percentEscapes],
  [htmlReferences],
];

/** Some servers repeat the headers of a request, and the response goes to the model and into the transcript. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const values = secrets.filter(({ length }) => length >= minSecretLength);
  // One may contain another, so the longest is replaced first.
  values.sort((one, other) => other.length - one.length);
  return values.reduce((clean, value) => withoutSecret(clean, value), text);
}

/** The same for every string in a JSON value, and for the names in it. */
export function jsonWithoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return withoutSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((item) => jsonWithoutSecrets(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [withoutSecrets(name, secrets), jsonWithoutSecrets(item, secrets)]),
  );
}

function withoutSecret(text: string, secret: string): string {
  let clean = text.replaceAll(secret, replacement);
  for (const layers of encodings) {
    if (layers.every(({ sign }) => clean.includes(sign))) clean = withoutEncoded(clean, secret, layers);
  }
  return clean;
}

function withoutEncoded(text: string, secret: string, layers: readonly Encoding[]): string {
  const { text: decoded, starts, ends } = layers.reduce(decodedWith, undecoded(text));
  let clean = '';
  let copied = 0;
  for (let place = decoded.indexOf(secret); place !== -1; place = decoded.indexOf(secret, place + secret.length)) {
    clean += text.slice(copied, Math.max(copied, starts[place] as number)) + replacement;
    copied = ends[place + secret.length - 1] as number;
  }
  return clean + text.slice(copied);
}

function undecoded(text: string): Decoded {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((start) => start + 1) };
}

function decodedWith({ text, starts, ends }: Decoded, { pattern, decode }: Encoding): Decoded {
  let decoded = '';
  const newStarts: number[] = [];
  const newEnds: number[] = [];
  const copyTo = (end: number, from: number): void => {
    decoded += text.slice(from, end);
    for (let place = from; place < end; place += 1) {
      newStarts.push(starts[place] as number);
      newEnds.push(ends[place] as number);
    }
  };
  let copied = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    copyTo(index, copied);
    copied = index + match.length;
    const characters = decode(match);
    decoded += characters;
    for (let unit = 0; unit < characters.length; unit += 1) {
      newStarts.push(starts[index] as number);
      newEnds.push(ends[copied - 1] as number);
    }
  }
  copyTo(text.length, copied);
  return { text: decoded, starts: newStarts, ends: newEnds };
}
