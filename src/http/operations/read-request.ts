import { z } from 'zod';
import { isRepeatable, type Operation, type Params } from '../../contract/operation.ts';
import type { CursorCodec, Position } from '../../core/cursor.ts';
import type { Eventually } from '../../core/eventually.ts';
import { Issues } from '../../core/issues.ts';
import type { Caller } from '../admission/caller.ts';
import type { Exchange } from './exchange.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { listingOf, listRulesOf, readPosition } from './paging.ts';
import { parseQuery, textsOf } from './query.ts';
import { readBody, readParameters, wholeNumberNames } from './validation.ts';

/** The content of a request, validated. */
export interface ReadRequest {
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown> | undefined;
  readonly position: Position | null;
  readonly repeatKey: string | null;
}

/** Reads and validates the requests of an operation. Errors list every problem at once. */
export function createRequestReader(operation: Operation, cursors: CursorCodec) {
  const wholeNumbers = wholeNumberNames(z.toJSONSchema(operation.query, { io: 'input' }));
  const listRules = listRulesOf(operation.query.shape);
  const mediaTypes = ['application/json', operation.bodyMediaType ?? ''].filter((type) => type !== '');
  const bodyRules = { isOptional: operation.isBodyOptional === true, mediaTypes };
  const plain = plainRequest(operation);

  const read = async (
    exchange: Exchange,
    caller: Caller,
    params: Params<Operation>,
    isStrict: boolean,
  ): Promise<ReadRequest> => {
    const { headers, url } = exchange;
    const issues = new Issues();
    const report = issues.add.bind(issues);
    const given = parseQuery(url);
    const query = readParameters(operation.query, wholeNumbers, given, isStrict, issues);
    const body =
      operation.body === null ? undefined : await readBody(operation.body, exchange, bodyRules, isStrict, issues);
    const listing = listingOf(operation, caller, params);
    const position = listRules === null ? null : readPosition(cursors, listing, listRules, textsOf(given), report);
    const repeatKey = isRepeatable(operation) ? readIdempotencyKey(headers['idempotency-key'], report) : null;
    issues.throwIfAny();
    return { query, body, position, repeatKey };
  };

  return (exchange: Exchange, caller: Caller, params: Params<Operation>): Eventually<ReadRequest> => {
    const isStrict = prefersStrict(exchange.headers.prefer);
    if (isStrict) exchange.addHeaders(['preference-applied', 'handling=strict']);
    if (plain !== null && !exchange.url.includes('?')) return plain;
    return read(exchange, caller, params, isStrict);
  };
}

/** A GET without a query has its defaults, which are computed once. */
function plainRequest({ method, query }: Operation): ReadRequest | null {
  const defaults = method === 'GET' ? query.safeParse({}) : undefined;
  return defaults?.success ? { query: defaults.data, body: undefined, position: null, repeatKey: null } : null;
}

/** RFC 7240: `Prefer: handling=strict`, among other preferences and in any case. */
function prefersStrict(prefer: string | string[] | undefined): boolean {
  if (prefer === undefined) return false;
  return String(prefer)
    .split(',')
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference));
}
