import { setTimeout as delay } from 'node:timers/promises';
import type { EngineName } from '../campaign.ts';
import type { Connection, Reply } from '../connection.ts';
import { Any, type Dictionary, isObject, Name } from './names.ts';
import { type Exchange, type Piece, Unquoted } from './world.ts';

/** One of the two services with its dictionary. */
export interface Side {
  readonly engine: EngineName;
  readonly connection: Connection;
  readonly dictionary: Dictionary;
}

/** How long an expired or revoked key may still be accepted, because keys are cached. */
const maxTrustMs = 1000;

/**
 * Runs a sequence on both services. Throws at the first response that differs from the model or between the services.
 */
export async function play<Command extends { readonly do: string }>(
  commands: readonly Command[],
  world: { exchangesOf(command: Command): Exchange[] },
  sides: readonly Side[],
  onCommand: (exchange: Exchange) => void,
): Promise<void> {
  for (const [index, command] of commands.entries()) {
    for (const exchange of world.exchangesOf(command)) {
      const issue = await carryOut(exchange, sides);
      if (issue !== null) throw new Error(`command ${index + 1} (${command.do}): ${issue}`);
      onCommand(exchange);
    }
  }
}

async function carryOut(exchange: Exchange, sides: readonly Side[]): Promise<string | null> {
  const ended = exchange.key?.endedAt;
  // The grace period is for keys that ended before this exchange: the exchange that ends the key itself is still
  // accepted.
  if (exchange.expected.status === 401 && typeof ended === 'number')
    await delay(Math.max(0, ended + maxTrustMs + 50 - performance.now()));
  const replies = await Promise.all(sides.map((side) => send(exchange, side)));
  for (const [index, side] of sides.entries()) {
    const issue = issueWith(exchange, replies[index] as Reply, side.dictionary);
    if (issue !== null) {
      const body = (replies[index] as Reply).body.toString().slice(0, 300);
      return `${side.engine}: ${exchange.method} ${textOf(exchange.path, side.dictionary)}: ${issue} (answer: ${body})`;
    }
  }
  const [one, other] = sides.map((side, index) => comparable(replies[index] as Reply, side.dictionary));
  return one === other ? null : `the engines differ: ${one} | ${other}`;
}

function send(
  { method, path, headers, key, body, rawBody }: Exchange,
  { connection, dictionary }: Side,
): Promise<Reply> {
  return connection.request(method, textOf(path, dictionary), {
    key: key === null ? undefined : dictionary.get(key.secret),
    headers: Object.fromEntries(Object.entries(headers).map(([name, pieces]) => [name, textOf(pieces, dictionary)])),
    ...(rawBody === undefined ? { body: dictionary.resolve(body) } : { rawBody }),
  });
}

function textOf(pieces: readonly Piece[], dictionary: Dictionary): string {
  return pieces
    .map((piece) => {
      if (piece instanceof Unquoted) return dictionary.get(piece.name).replaceAll('"', '');
      return piece instanceof Name ? dictionary.get(piece) : piece;
    })
    .join('');
}

function issueWith({ expected, headers }: Exchange, reply: Reply, dictionary: Dictionary): string | null {
  const text = reply.body.toString();
  if (reply.status !== expected.status) return `answered ${reply.status} instead of ${expected.status}`;
  if (reply.headers.get('x-request-id') !== headers['X-Request-Id']?.join(''))
    return 'the request id is not the one sent';
  const isReplay = reply.headers.get('idempotent-replayed') === 'true';
  if (isReplay !== (expected.isReplay === true)) return isReplay ? 'is an answer from before' : 'was carried out again';
  if (expected.body !== undefined) {
    const body: unknown = JSON.parse(text);
    const difference = dictionary.difference(expected.body, body) ?? orderIssue(expected.body, body);
    if (difference !== null) return difference;
    const failed = expected.check?.(body as Record<string, unknown>, dictionary) ?? null;
    if (failed !== null) return failed;
  } else if (text !== '') return 'has a body';
  const tag = reply.headers.get('etag');
  const tagIssue =
    expected.etag === undefined ? (tag === undefined ? null : ' is there') : dictionary.difference(expected.etag, tag);
  if (tagIssue !== null) return `ETag${tagIssue}`;
  return linkIssue(expected.link ?? null, reply.headers.get('link'), dictionary);
}

/** The members of a document, and of each list item, must be in the order of the contract. */
function orderIssue(expected: unknown, actual: unknown): string | null {
  if (!isObject(expected) || !isObject(actual) || expected instanceof Any) return null;
  const documents = Array.isArray(expected.items)
    ? expected.items.map((item, index) => [item, (actual.items as unknown[])[index]] as const)
    : [[expected, actual] as const];
  for (const [wanted, given] of documents) {
    if (Object.keys(wanted as object).join() !== Object.keys(given as object).join())
      return 'members are in another order';
  }
  return null;
}

function linkIssue(next: Name | null, link: string | undefined, dictionary: Dictionary): string | null {
  if (next === null) return link === undefined ? null : 'Link is there though nothing follows';
  return link?.includes(`cursor=${dictionary.get(next)}>; rel="next"`) ? null : 'Link is not the way to the next page';
}

/** A response without generated values: the rest must be byte-identical on both services. */
function comparable({ status, headers, body }: Reply, dictionary: Dictionary): string {
  const names = [...headers.keys()].filter((name) => name !== 'content-length').sort();
  const text = body
    .toString()
    .replaceAll(/"lastUsedAt":(null|"[^"]*")/g, '"lastUsedAt":…')
    .replaceAll(/\b(agt|call|key|ws|aud)_[0-9a-z]{30}\b/g, (id) => dictionary.nameOf(id))
    .replaceAll(/\b(cev|own)_[0-9a-z]{30}\b/g, '($1)')
    .replaceAll(/vat_[\w.-]+/g, '(token)')
    .replaceAll(/"(\w+Ms|p\d\d|min|max)":\d+/g, '"$1":(number)')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(time)')
    .replaceAll(/"nextCursor":"[^"]*"/g, '"nextCursor":(cursor)')
    .replaceAll(/"currentEtag":"\\"[^"]*\\""/g, '"currentEtag":(etag)')
    .replaceAll(/vak_[0-9A-Za-z]{38}|vak_[0-9A-Za-z]{4}…/g, '(secret)');
  return `${status} ${names.join(' ')} ${headers.get('content-type')} ${text}`;
}
