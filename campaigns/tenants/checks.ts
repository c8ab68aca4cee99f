import { isRepeatable } from '../../src/contract/operation.ts';
import { type Connection, type Reply, type RequestOptions, requestBytes } from '../connection.ts';
import type { Random } from '../random.ts';
import { bodyOf, type Delivery, mayUse, type Names, pathOf, type ResourceKind, type Target } from './requests.ts';
import { differenceOf, signatureOf, textOf } from './signatures.ts';
import { idsIn, namesIn, type ScopedKey, sharedIdempotencyKey, type Tenant } from './world.ts';

type Headers = Readonly<Record<string, string>>;

/** One request with a description for findings. */
export interface Probe {
  readonly about: string;
  readonly method: string;
  readonly path: string;
  readonly options: RequestOptions;
}

/** One connection per delivery variant, with a count of the requests. */
export class Caller {
  readonly #connections: Readonly<Record<Delivery, Connection>>;
  sent = 0;

  constructor(connections: Readonly<Record<Delivery, Connection>>) {
    this.#connections = connections;
  }

  send(delivery: Delivery, { method, path, options }: Probe, headers: Headers): Promise<Reply> {
    this.sent += 1;
    const bytes = requestBytes(method, path, { ...options, headers: { ...options.headers, ...headers } });
    return this.#connections[delivery].sendBytes(bytes, { isHead: method === 'HEAD', isCut: delivery === 'cut' });
  }
}

/** What the caller must never see: all ids of the other workspace. */
export class Marks {
  readonly #found: (what: string) => void;
  readonly #marks: readonly string[];

  constructor(marks: Iterable<string>, found: (what: string) => void) {
    this.#marks = [...marks];
    this.#found = found;
  }

  lookFor(about: string, reply: Reply): void {
    const text = textOf(reply);
    const mark = this.#marks.find((each) => text.includes(each));
    if (mark !== undefined) this.#found(`${about}: a stranger is shown ${mark.slice(0, 4)}… of another workspace`);
  }
}

const maxIdLength = 64;
const malformedIds = [
  'x',
  '%20',
  '%00',
  'agt_',
  '%2e%2e%2Fagents',
  '%F0%9F%98%80',
  `agt_${'0'.repeat(29)}`,
  `agt_${'0'.repeat(31)}`,
  `agt_${'O'.repeat(30)}`,
  `key_${'0'.repeat(30)}%00`,
  "agt_'%20OR%20'1'='1",
  '*',
  'a'.repeat(3000),
];

const versionNames = ['1', '2', 'latest', 'published', '999', '%00'];

/** A well-formed unknown id: the given one with a different end. */
export function unknownIdLike(id: string, random: Random): string {
  const end = Array.from({ length: 16 }, () => random.pick([...'0123456789abcdefghjkmnpqrstvwxyz'])).join('');
  return id.slice(0, -16) + end;
}

/** Pairs of requests that must get the same response: one for a foreign resource, one for an unknown one. */
export class Probes {
  readonly #own: Tenant;
  readonly #other: Tenant;
  readonly #random: Random;
  readonly #lane: number;

  constructor(own: Tenant, other: Tenant, random: Random, lane = 0) {
    this.#own = own;
    this.#other = other;
    this.#random = random;
    this.#lane = lane;
  }

  /** For concurrent lanes: each has its own Idempotency-Keys, so that they do not conflict. */
  inLane(lane: number, random: Random): Probes {
    return new Probes(this.#own, this.#other, random, lane);
  }

  foreignIds(kind: ResourceKind): string[] {
    return [...idsIn(this.#other, kind)];
  }

  unknownId(kind: ResourceKind): string {
    return unknownIdLike(this.foreignIds(kind)[0] as string, this.#random);
  }

  ownNames(target: Target): Names {
    return namesIn(this.#own, target.kind);
  }

  /** Pairs that must both get 404: foreign, and unknown or malformed. */
  aboutIds(target: Target, most: { readonly foreign: number; readonly malformed: number }): [Probe, Probe][] {
    const { kind, operation } = target;
    if (operation.path.includes('{number}')) return this.#aboutNumbers(target);
    if (operation.id === 'analytics.prices.delete') return this.#aboutPrices(target);
    if (kind === null) return [];
    const pairs: [Probe, Probe][] = this.#aboutParts(target);
    const names = namesIn(this.#other, kind);
    const versions = operation.path.includes('{version}')
      ? this.#random.shuffled(versionNames).slice(0, 2 * most.foreign)
      : ['1'];
    const ids = this.#random.shuffled(this.foreignIds(kind)).slice(0, most.foreign);
    for (const id of ids) {
      for (const version of versions) {
        const unknown = this.unknownId(kind);
        for (const [about, headers] of this.#headersFor(target)) {
          pairs.push([
            this.#probe(target, `foreign id${about}`, { ...names, id, version }, headers),
            this.#probe(target, `unknown id${about}`, { ...names, id: unknown, version }, headers),
          ]);
        }
      }
    }
    const first = ids[0] as string;
    const encoded = first.replace('_', '%5F');
    const otherKind = this.foreignIds(kind === 'agt' ? 'key' : 'agt')[0] as string;
    const malformed = this.#random.shuffled(malformedIds).slice(0, most.malformed);
    for (const id of [encoded, otherKind, ...malformed]) {
      // In a body, an empty or long one is a bad value, whatever it names.
      if (target.idField !== null && (id === '' || id.length > maxIdLength)) continue;
      pairs.push([
        this.#probe(target, 'foreign id', { ...names, id: first }, {}),
        this.#probe(target, 'malformed id', { ...names, id }, {}),
      ]);
    }
    return pairs;
  }

  /** Pairs for an own webhook or knowledge base, with a delivery, document or chunk of the other workspace. */
  #aboutParts(target: Target): [Probe, Probe][] {
    const own = this.ownNames(target);
    const { deliveryIds, documentIds, chunkIds } = this.#other;
    const parts = { deliveryId: deliveryIds, documentId: documentIds, chunkId: chunkIds };
    return Object.entries(parts)
      .filter(([part]) => target.operation.path.includes(`{${part}}`))
      .flatMap(([part, ids]) =>
        ids.map((id): [Probe, Probe] => [
          this.#probe(target, `foreign ${part}`, { ...own, [part]: id }, {}),
          this.#probe(target, `unknown ${part}`, { ...own, [part]: unknownIdLike(id, this.#random) }, {}),
        ]),
      );
  }

  /** Pairs for prices: from a time at which only the other workspace has some, and one at which nobody has. */
  #aboutPrices(target: Target): [Probe, Probe][] {
    const own = this.ownNames(target);
    return this.#other.pricesFrom
      .filter((time) => !this.#own.pricesFrom.includes(time))
      .map((validFrom) => [
        this.#probe(target, 'foreign prices', { ...own, validFrom }, {}),
        this.#probe(target, 'unknown prices', { ...own, validFrom: '2019-06-01T00:00:00.000Z' }, {}),
      ]);
  }

  /** Pairs for the list of numbers: one of the other workspace, and one of nobody. */
  #aboutNumbers(target: Target): [Probe, Probe][] {
    const own = this.ownNames(target);
    return this.#other.blockedNumbers.map((number) => [
      this.#probe(target, 'foreign number', { ...own, number }, {}),
      this.#probe(target, 'unknown number', { ...own, number: '+819099999999' }, {}),
    ]);
  }

  /** Pairs for own lists: with a cursor (400) or a filter (200 without results) of the other workspace. */
  aboutLists(target: Target, most: { readonly cursors: number }): { status: number; pair: [Probe, Probe] }[] {
    if (!target.isList) return [];
    const names = this.ownNames(target);
    const probe = (about: string, query: Record<string, string>) => this.#probe(target, about, names, {}, query);
    const own = this.#other.cursors.get(target.operation.id) as string;
    const some = this.#random.shuffled([...this.#other.cursors.values()]).slice(0, most.cursors);
    const cursors = [...new Set([own, ...some])].flatMap((cursor) => {
      const made = unknownCursorLike(cursor, this.#random);
      return [
        { status: 400, pair: [probe('foreign cursor', { cursor }), probe('made-up cursor', { cursor: made })] },
        {
          status: 400,
          pair: [probe('foreign cursor', { cursor }), probe('cut cursor', { cursor: cursor.slice(0, 30) })],
        },
      ] as { status: number; pair: [Probe, Probe] }[];
    });
    const ids = [
      ...this.foreignIds('agt'),
      ...this.foreignIds('key'),
      ...(['call', 'wfl', 'run', 'kb'] as const).map((kind) => this.foreignIds(kind)[0] as string),
      this.#other.documentIds[0] as string,
    ];
    const filters = target.filters.flatMap((filter) =>
      ids.map((id) => {
        const unknown = unknownIdLike(id, this.#random);
        const pair: [Probe, Probe] = [
          probe(`foreign ${filter}`, { [filter]: id }),
          probe(`unknown ${filter}`, { [filter]: unknown }),
        ];
        return { status: 200, pair };
      }),
    );
    return [...cursors, ...filters];
  }

  /** Pairs for an own resource with an ETag of the other workspace, which must be like any other wrong one. */
  aboutTags(target: Target): { status: number; pair: [Probe, Probe] }[] {
    const { condition, success } = target.operation;
    if (condition === undefined) return [];
    const { etag } = this.#other.agents.at(-1) as { etag: string };
    const probe = (about: string, tag: string) =>
      this.#probe(target, about, this.ownNames(target), { [condition]: tag });
    const unknown = `"${this.#random.int(1e9, 9e9)}AAAAAAAAAAAAAAAAA"`;
    const status = condition === 'If-Match' ? 409 : success.status;
    return [{ status, pair: [probe('foreign tag', etag), probe('unknown tag', unknown)] }];
  }

  /** The same request for an own, foreign, unknown and malformed id, which get the same response if refused earlier. */
  alike(target: Target, headers: Headers = {}, query: Record<string, string> = {}): Probe[] {
    const { kind } = target;
    const own = this.#probe(target, 'own', this.ownNames(target), headers, query);
    if (kind === null) return [own];
    const others = [
      ['foreign', this.foreignIds(kind)[0] as string],
      ['unknown', this.unknownId(kind)],
      ['malformed', 'x'],
    ] as const;
    const names = namesIn(this.#other, kind);
    return [own, ...others.map(([about, id]) => this.#probe(target, about, { ...names, id }, headers, query))];
  }

  #headersFor(target: Target): [string, Headers][] {
    const { operation } = target;
    const list: [string, Headers][] = [['', {}]];
    if (operation.condition !== undefined) {
      const { etag } = this.#other.agents.at(-1) as { etag: string };
      list.push(
        [' with its own tag', { [operation.condition]: etag }],
        [' with any tag', { [operation.condition]: '*' }],
      );
      if (operation.condition === 'If-Match') list.push([' with a wrong tag', { 'If-Match': '"wrong"' }]);
    }
    if (isRepeatable(operation))
      list.push([' under the other’s Idempotency-Key', sharedIdempotencyKey(target, this.#lane)]);
    return list;
  }

  #probe(target: Target, about: string, names: Names, headers: Headers, query: Record<string, string> = {}): Probe {
    const { method, id } = target.operation;
    const options = { ...bodyOf(target, names), headers };
    return { about: `${id}, ${about}`, method, path: pathOf(target, names, query), options };
  }
}

/** Same length and content, but a different digest. */
function unknownCursorLike(cursor: string, random: Random): string {
  const digest = Array.from({ length: 22 }, () => random.pick([...'ABCDEFGHabcdefgh01234567-_'])).join('');
  return digest + cursor.slice(22);
}

/** Sends both requests and compares the responses. */
export async function comparePair(
  caller: Caller,
  delivery: Delivery,
  credentials: Headers,
  [one, other]: readonly [Probe, Probe],
  expected: number,
  { found, marks }: { found: (what: string) => void; marks: Marks },
): Promise<void> {
  const replies = [
    await caller.send(delivery, one, credentials),
    await caller.send(delivery, other, credentials),
  ] as const;
  for (const [place, reply] of replies.entries()) {
    const { about } = place === 0 ? one : other;
    if (reply.status !== expected) found(`${about} (${delivery}): ${reply.status} instead of ${expected}`);
    marks.lookFor(`${about} (${delivery})`, reply);
  }
  const [first, second] = replies.map(signatureOf) as [string, string];
  if (first !== second)
    found(`${one.about} (${delivery}) can be distinguished from ${other.about}: ${differenceOf(first, second)}`);
}

/** All of them must get the same bytes. */
export async function compareAll(
  caller: Caller,
  delivery: Delivery,
  credentials: Headers,
  probes: readonly Probe[],
  expected: number,
  { found, marks, when }: { found: (what: string) => void; marks: Marks; when: string },
): Promise<void> {
  let first: string | undefined;
  for (const probe of probes) {
    const reply = await caller.send(delivery, probe, credentials);
    if (reply.status !== expected)
      found(`${probe.about} (${delivery}), ${when}: ${reply.status} instead of ${expected}`);
    marks.lookFor(`${probe.about} (${delivery}), ${when}`, reply);
    const signature = signatureOf(reply);
    first ??= signature;
    if (signature !== first)
      found(`${probe.about} (${delivery}), ${when}, can be distinguished from own: ${differenceOf(signature, first)}`);
  }
}

/** 403 without the scope, otherwise the given status. */
export function statusFor(target: Target, { scopes }: ScopedKey, otherwise: number): number {
  return mayUse(target, scopes) ? otherwise : 403;
}

/** The same request as HEAD, which must also get matching responses. */
export function asHead(probe: Probe): Probe {
  return { ...probe, about: `${probe.about}, as HEAD`, method: 'HEAD' };
}
