/**
 * Values that the service generates: ids, times, ETags, secrets and cursors. The model refers to them by names. The
 * actual value is learned on first use, for each engine, and must stay the same from then on.
 */
export type Kind = 'agent' | 'call' | 'key' | 'workspace' | 'entry' | 'time' | 'etag' | 'secret' | 'hint' | 'cursor';

const base32 = '[0-9a-hjkmnp-tv-z]{30}';
const shapes: Record<Kind, RegExp> = {
  agent: new RegExp(`^agt_${base32}$`),
  call: new RegExp(`^call_${base32}$`),
  key: new RegExp(`^key_${base32}$`),
  workspace: new RegExp(`^ws_${base32}$`),
  entry: new RegExp(`^aud_${base32}$`),
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  etag: /^"[A-Za-z0-9_-]+"$/,
  secret: /^vak_[0-9A-Za-z]{38}$/,
  hint: /^vak_[0-9A-Za-z]{4}…$/,
  cursor: /^[A-Za-z0-9_-]{1,4096}$/,
};
/** Values of these kinds are never equal. */
const unique: readonly Kind[] = ['agent', 'call', 'key', 'workspace', 'entry', 'secret'];

export class Name {
  static #count = 0;
  readonly number: number;
  readonly kind: Kind;
  /** For times: the lower bound. */
  readonly notBefore: Name | null;

  constructor(kind: Kind, notBefore: Name | null = null) {
    Name.#count += 1;
    this.number = Name.#count;
    this.kind = kind;
    this.notBefore = notBefore;
  }
}

/** A value of which the model knows only a condition. */
export class Any {
  readonly admits: (value: unknown) => boolean;

  constructor(admits: (value: unknown) => boolean) {
    this.admits = admits;
  }
}

export const anyText = new Any((value) => typeof value === 'string' && value !== '');

/** The actual values of the names on one engine. */
export class Dictionary {
  readonly #values = new Map<Name, string>();
  readonly #names = new Map<string, Name>();

  get(name: Name): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`a ${name.kind} is not known yet`);
    return value;
  }

  has(name: Name): boolean {
    return this.#values.has(name);
  }

  /** An id as a name that is the same on every engine. */
  nameOf(id: string): string {
    const name = this.#names.get(id);
    return name === undefined ? id : `(${name.kind} ${name.number})`;
  }

  learn(name: Name, value: unknown): string | null {
    if (typeof value !== 'string' || !shapes[name.kind].test(value)) return `is not the ${name.kind} it should be`;
    if (unique.includes(name.kind)) {
      if (this.#names.has(value)) return `is a ${name.kind} that is there already`;
      this.#names.set(value, name);
    }
    if (name.notBefore !== null && value < this.get(name.notBefore)) return 'is a time before the one before';
    this.#values.set(name, value);
    return null;
  }

  /** The value with every name replaced by its actual value. */
  resolve(value: unknown): unknown {
    if (value instanceof Name) return this.get(value);
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.resolve(member)]));
  }

  /** The first difference and its path, or null. Unknown names are learned. */
  difference(expected: unknown, actual: unknown, place = ''): string | null {
    if (expected instanceof Name) {
      if (!this.has(expected)) {
        const issue = this.learn(expected, actual);
        return issue === null ? null : `${place} ${issue}: ${show(actual)}`;
      }
      return this.get(expected) === actual
        ? null
        : `${place} is ${show(actual)}, not the ${expected.kind} known before`;
    }
    if (expected instanceof Any) return expected.admits(actual) ? null : `${place} must not be ${show(actual)}`;
    if (Array.isArray(expected)) {
      if (!Array.isArray(actual)) return `${place} is ${show(actual)}, not a list`;
      if (actual.length !== expected.length) return `${place} has ${actual.length} items instead of ${expected.length}`;
      return firstOf(expected.keys(), (index) => this.difference(expected[index], actual[index], `${place}/${index}`));
    }
    if (isObject(expected)) {
      if (!isObject(actual)) return `${place} is ${show(actual)}, not an object`;
      const surplus = Object.keys(actual).find((name) => !Object.hasOwn(expected, name));
      if (surplus !== undefined) return `${place} has a member ${surplus} too much`;
      return firstOf(Object.keys(expected), (name) =>
        Object.hasOwn(actual, name)
          ? this.difference(expected[name], actual[name], `${place}/${name}`)
          : `${place} lacks ${name}`,
      );
    }
    return Object.is(expected, actual) ? null : `${place} is ${show(actual)} instead of ${show(expected)}`;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function firstOf<T>(values: Iterable<T>, find: (value: T) => string | null): string | null {
  for (const value of values) {
    const found = find(value);
    if (found !== null) return found;
  }
  return null;
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 120);
}
