import { isRepeatable, type Operation, type Params } from '../../contract/operation.ts';
import type { CursorCodec, Filters, Position } from '../../core/cursor.ts';
import { type Issue, Issues } from '../../core/issues.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { Caller } from '../admission/caller.ts';
import type { Exchange } from './exchange.ts';
import { ignoredFieldsHeader, ignoredFieldsValue } from './ignored-fields.ts';
import {
  createSearchFilters,
  filterNamesOf,
  filtersIn,
  listingOf,
  readPosition,
  readSearchPosition,
} from './paging.ts';
import { type Parameter, parseQuery, textsOf } from './query.ts';
import { type ParameterTypes, parameterTypesOf, readBody, readParameters } from './validation.ts';

/** The validated content of a request. */
export interface ReadRequest {
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown> | undefined;
  readonly position: Position | null;
  /** For lists: the filters that were sent, or those in the cursor. */
  readonly filters: Filters;
  readonly repeatKey: string | null;
}

/** Reads and validates the requests of an operation. Errors list all issues at once. */
export function createRequestReader(operation: Operation, cursors: CursorCodec) {
  // With the first request: for all operations together, it would take half of the time in which a service starts.
  let types: ParameterTypes | undefined;
  const filterNames = filterNamesOf(operation.query.shape);
  const searchFilters =
    operation.list === 'body' && operation.body !== null ? createSearchFilters(operation.body.shape) : null;
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
    const unknown = { isStrict, ignored: [] };
    const report = issues.add.bind(issues);
    types ??= parameterTypesOf(operation.query);
    const given = parseQuery(url, types.lists);
    const texts = textsOf(given);
    const ownFilters = filtersIn(filterNames ?? [], texts);
    const listing = listingOf(operation, caller, params);
    let position = filterNames === null ? null : readPosition(cursors, listing, texts.cursor, ownFilters, report);
    let filters = position?.filters ?? ownFilters;
    const query = readParameters(operation.query, types.wholeNumbers, withFilters(given, filters), unknown, issues);
    const body =
      operation.body === null ? undefined : await readBody(operation.body, exchange, bodyRules, unknown, issues);
    if (searchFilters !== null && body !== undefined) {
      position = readSearchPosition(cursors, listing, body.sent, searchFilters, report);
    }
    const key = operation.method === 'POST' ? readIdempotencyKey(headers['idempotency-key'], report) : null;
    // The response to a POST that only reads is not saved.
    const repeatKey = isRepeatable(operation) ? key : null;
    const ignored = ignoredFieldsValue(unknown.ignored);
    // With errors, too: a required field that is missing may be there under a wrong name.
    if (ignored !== null) exchange.addHeaders([ignoredFieldsHeader, ignored]);
    issues.throwIfAny();
    // After everything else, so that no digest is made of a body that is rejected.
    if (searchFilters !== null && body !== undefined) filters = position?.filters ?? searchFilters(body.sent);
    return { query, body: body?.value, position, filters, repeatKey };
  };

  return (exchange: Exchange, caller: Caller, params: Params<Operation>): MaybePromise<ReadRequest> => {
    const isStrict = prefersStrict(exchange.headers.prefer);
    if (isStrict) exchange.addHeaders(['preference-applied', 'handling=strict']);
    if (plain !== null && !exchange.url.includes('?')) return plain;
    return read(exchange, caller, params, isStrict);
  };
}

/** The result for a request without query and body, which consists of defaults and is computed once. */
function plainRequest({ body, kind, query }: Operation): ReadRequest | null {
  const defaults = body === null && kind === 'read' ? query.safeParse({}) : undefined;
  if (!defaults?.success) return null;
  return { query: defaults.data, body: undefined, position: null, filters: {}, repeatKey: null };
}

function withFilters(given: ReadonlyMap<string, Parameter>, filters: Filters): ReadonlyMap<string, Parameter> {
  const missing = Object.entries(filters).filter(([name]) => !given.has(name));
  if (missing.length === 0) return given;
  return new Map([...given, ...missing.map(([name, value]) => [name, { value }] as const)]);
}

/** RFC 7240: `Prefer: handling=strict`, in any case, possibly among other preferences. */
function prefersStrict(prefer: string | string[] | undefined): boolean {
  if (prefer === undefined) return false;
  return String(prefer)
    .split(',')
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference));
}

/** Reads `Idempotency-Key`, bare or in quotes: 1 to 255 printable ASCII characters. Null if the header is absent. */
function readIdempotencyKey(header: string | string[] | undefined, report: (issue: Issue) => void): string | null {
  if (header === undefined) return null;
  const text = String(header);
  const key = text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    report({ path: ['Idempotency-Key'], message: 'must be 1 to 255 printable ASCII characters' });
    return null;
  }
  return key;
}
