/** A shorter value could be a part of ordinary words. */
const minSecretLength = 8;
const replacement = '[SECRET]';

/** A text, and where each of its characters was before it was decoded. */
interface Decoded {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

interface Encoding {
  /** Every encoded character begins with it. */
  readonly sign: string;
  /** The characters that are encoded at a sign, and where that ends; undefined if it is just a sign. */
  readonly decodeAt: (text: string, place: number) => { readonly characters: string; readonly end: number } | undefined;
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const fourHexDigits = /^[0-9a-fA-F]{4}$/;

const jsonEscapes: Encoding = {
  sign: '\\',
  decodeAt: (text, place) => {
    const letter = text.charAt(place + 1);
    const short = shortEscapes[letter];
    if (short !== undefined) return { characters: short, end: place + 2 };
    const digits = letter === 'u' ? text.slice(place + 2, place + 6) : '';
    if (!fourHexDigits.test(digits)) return undefined;
    return { characters: String.fromCharCode(Number.parseInt(digits, 16)), end: place + 6 };
  },
};

const percentEncoded = /%[0-7][0-9a-f]|(?:%[89a-f][0-9a-f])+/iy;

const percentEscapes: Encoding = {
  sign: '%',
  decodeAt: (text, place) => {
    percentEncoded.lastIndex = place;
    const match = percentEncoded.exec(text)?.[0];
    if (match === undefined) return undefined;
    const isAscii = match.length === 3;
    const characters = isAscii
      ? String.fromCharCode(Number.parseInt(match.slice(1), 16))
      : Buffer.from(match.replaceAll('%', ''), 'hex').toString();
    return { characters, end: place + match.length };
  },
};

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const htmlReference = /&(?:#(\d{1,6})|#(x[0-9a-f]{1,5})|(amp|lt|gt|quot|apos));/iy;

const htmlReferences: Encoding = {
  sign: '&',
  decodeAt: (text, place) => {
    htmlReference.lastIndex = place;
    const [match, decimal, hexadecimal, name] = htmlReference.exec(text) ?? [];
    if (match === undefined) return undefined;
    const number = decimal ?? (hexadecimal === undefined ? undefined : `0${hexadecimal}`);
    const characters =
      number === undefined ? named[(name as string).toLowerCase()] : String.fromCodePoint(Number(number));
    return { characters: characters as string, end: place + match.length };
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
  if (values.length === 0) return text;
  // One may contain another, so the longest is replaced first.
  values.sort((one, other) => other.length - one.length);
  let clean = values.reduce((rest, value) => rest.replaceAll(value, replacement), text);
  for (const layers of encodings) {
    if (layers.every(({ sign }) => clean.includes(sign))) clean = withoutEncoded(clean, values, layers);
  }
  return clean;
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

function withoutEncoded(text: string, secrets: readonly string[], layers: readonly Encoding[]): string {
  // Once for all secrets: decoding takes longer than looking for them.
  const decoded = layers.reduce(decodedWith, undecoded(text));
  const places = secrets.flatMap((secret) => placesOf(secret, decoded)).sort((one, other) => one.start - other.start);
  let clean = '';
  let copied = 0;
  for (const { start, end } of places) {
    if (end <= copied) continue;
    if (start >= copied) clean += text.slice(copied, start) + replacement;
    copied = end;
  }
  return clean + text.slice(copied);
}

function placesOf(secret: string, { text, starts, ends }: Decoded): { readonly start: number; readonly end: number }[] {
  const places = [];
  for (let place = text.indexOf(secret); place !== -1; place = text.indexOf(secret, place + secret.length)) {
    places.push({ start: starts[place] as number, end: ends[place + secret.length - 1] as number });
  }
  return places;
}

function undecoded(text: string): Decoded {
  const starts = Uint32Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((start) => start + 1) };
}

/** An encoded text is never shorter than what it stands for. */
function decodedWith({ text, starts, ends }: Decoded, { sign, decodeAt }: Encoding): Decoded {
  const parts: string[] = [];
  const newStarts = new Uint32Array(text.length);
  const newEnds = new Uint32Array(text.length);
  let length = 0;
  let copied = 0;
  const copyTo = (end: number): void => {
    parts.push(text.slice(copied, end));
    newStarts.set(starts.subarray(copied, end), length);
    newEnds.set(ends.subarray(copied, end), length);
    length += end - copied;
  };
  for (let place = text.indexOf(sign); place !== -1; place = text.indexOf(sign, Math.max(copied, place + 1))) {
    const found = decodeAt(text, place);
    if (found === undefined) continue;
    copyTo(place);
    copied = found.end;
    parts.push(found.characters);
    newStarts.fill(starts[place] as number, length, length + found.characters.length);
    newEnds.fill(ends[copied - 1] as number, length, length + found.characters.length);
    length += found.characters.length;
  }
  copyTo(text.length);
  return { text: parts.join(''), starts: newStarts, ends: newEnds };
}
