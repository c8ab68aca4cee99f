import { errorBody, errorCodes } from '../../src/contract/errors.ts';
import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import type { Reply } from '../connection.ts';
import { allows, codePoints, type DocumentedOperation, type Parameter, type Schema } from './document.ts';
import type { FuzzRequest } from './requests.ts';
import { mayBeRefused, mayBeRefusedAsWhole } from './rules-in-words.ts';

export interface Verdict {
  /** The operation that the request matched. */
  readonly operation: DocumentedOperation | undefined;
  /** The parsed body of a success. */
  readonly body: unknown;
  /** Violations of the contract. */
  readonly issues: readonly string[];
}

const byId = new Map<string, Operation>(operations.map((operation) => [operation.id, operation]));
/** Public pages besides the operations. */
const pages = ['/', '/healthz', '/readyz', '/metrics', '/openapi.json', '/llms.txt', '/docs', '/docs/'];
const dashboardPage =
  /^\/(sign-in|overview|agents(\/.*)?|calls(\/.*)?|webhooks(\/.*)?|numbers(\/.*)?|secrets|keys|audit)$/;
/** Statuses for requests that match no operation: invalid HTTP, no key, unknown path, or wrong method. */
const statusesElsewhere = new Set([400, 401, 404, 405]);
/** Checks a response against the documented operation and the strict schemas of the contract. */
export function judge(documented: readonly DocumentedOperation[], request: FuzzRequest, reply: Reply): Verdict {
  const issues: string[] = [];
  const operation = reached(documented, request);
  const { status, headers } = reply;
  const requestId = headers.get('x-request-id');
  if (!requestId) issues.push(`${status} without X-Request-Id`);
  else if (request.requestId !== null && requestId !== request.requestId && !isRefusedByParser(reply))
    issues.push(`${status} with the id of another request`);
  if (!isDocumented(operation, request, reply)) {
    const where = operation?.id ?? 'elsewhere';
    issues.push(
      status >= 500 ? `${status} from ${where}: ${messageIn(reply)}` : `undocumented status ${status} from ${where}`,
    );
  }
  if (status === 405 && !headers.has('allow')) issues.push('405 without Allow');
  if (request.method === 'HEAD' || status === 304) return { operation, body: undefined, issues };
  if (status >= 400) {
    issues.push(...judgeError(request, reply, operation));
    return { operation, body: undefined, issues };
  }
  if (operation === undefined) return { operation, body: undefined, issues };
  const success = byId.get(operation.id)?.success;
  // Where a response can be either, JSON is the default.
  const media = success?.body == null ? success?.media : undefined;
  const mediaType = media?.type ?? 'application/json';
  if (!headers.get('content-type')?.startsWith(mediaType)) issues.push(`${operation.id}: not ${mediaType}`);
  const body = media === undefined ? parsed(reply.body) : undefined;
  const result = media === undefined ? success?.body?.safeParse(body) : { success: true, error: undefined };
  if (result?.success !== true) {
    const issue = result?.error?.issues[0];
    issues.push(`${operation.id}: a body outside its schema, at ${issue?.path.join('.')}: ${issue?.message}`);
  }
  for (const name of operation.successHeaders)
    if (isAlwaysThere(name) && !headers.has(name)) issues.push(`${operation.id}: ${status} without ${name}`);
  const forbidden = request.isUntouched ? undefined : whatIsForbidden(operation, request);
  if (forbidden !== undefined) issues.push(`${operation.id}: accepted ${forbidden}`);
  return { operation, body, issues };
}

/** Links exist only if another page follows, rate limit headers only if a limit is set, and names of ignored fields if there are any. */
function isAlwaysThere(header: string): boolean {
  return header !== 'link' && header !== 'ignored-fields' && !header.startsWith('ratelimit');
}

function reached(documented: readonly DocumentedOperation[], request: FuzzRequest): DocumentedOperation | undefined {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const path = pathOf(request);
  // Letters may be percent-encoded (RFC 3986, 6.2.2.2): /%61pi is /api.
  const decoded = path.replaceAll(/%(4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/gi, (encoded) => decodeURIComponent(encoded));
  return documented.find((operation) => operation.method === method && operation.pattern.test(decoded));
}

/** The path of the request target, without spaces before the version and without the origin of an absolute URL. */
function pathOf({ target }: FuzzRequest): string {
  return (target.split('?', 1)[0] as string).trim().replace(/^http:\/\/[^/]*/, '');
}

function isDocumented(operation: DocumentedOperation | undefined, request: FuzzRequest, reply: Reply): boolean {
  const { status } = reply;
  // The response to HEAD has no body that would say which server has failed.
  const isBodiless = request.method === 'HEAD' && status === 502;
  if (status >= 500 && !isBodiless && !isMissingProvider(reply) && !isFailingServer(reply)) return false;
  if (operation !== undefined) return operation.statuses.has(status);
  if (statusesElsewhere.has(status)) return true;
  // Browsers ask before a page may send a message.
  if (request.method === 'OPTIONS' && status === 204) return true;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const path = pathOf(request).split(/[#;]/, 1)[0] || '/';
  return status < 400 && isRead && (pages.includes(path) || dashboardPage.test(path));
}

/** A language model, or speech. */
function isMissingProvider({ status, body }: Reply): boolean {
  return status === 503 && body.includes('"PROVIDER_NOT_CONFIGURED"');
}

/** Agents may have a model for tests that fails, or a server of a partner that does not exist; no carrier or website is there. */
function isFailingServer({ status, body }: Reply): boolean {
  return status === 502 && /"provider":"(test|custom_llm|twilio|the website)"/.test(String(body));
}

function messageIn({ body }: Reply): string {
  const result = errorBody.safeParse(parsed(body));
  return result.success ? result.data.error.message : 'no error body';
}

/** If Node's parser rejects a request, its id is not known. */
function isRefusedByParser({ status, headers }: Reply): boolean {
  return status === 400 && headers.get('connection') === 'close';
}

function judgeError(request: FuzzRequest, reply: Reply, operation: DocumentedOperation | undefined): string[] {
  const { status, headers } = reply;
  if (isPageForBrowsers(request, reply, operation)) return [];
  const result = errorBody.safeParse(parsed(reply.body));
  if (!result.success) return [`${status} with a body that is not the error body`];
  const { code, details, requestId } = result.data.error;
  const issues: string[] = [];
  if (requestId !== headers.get('x-request-id')) issues.push(`${status}: the ids in head and body differ`);
  if (!Object.hasOwn(errorCodes, code)) issues.push(`${status} with the unknown code ${code}`);
  else if (errorCodes[code as keyof typeof errorCodes].status !== status) issues.push(`${code} with status ${status}`);
  if (code !== 'VALIDATION_ERROR') return issues;
  const { fieldErrors, formErrors = [] } = (details ?? {}) as { fieldErrors?: object; formErrors?: unknown[] };
  if (fieldErrors === undefined || Object.keys(fieldErrors).length + formErrors.length === 0)
    issues.push('400 that does not tell what is wrong');
  else if (request.isUntouched) {
    const blamed =
      Object.keys(fieldErrors).find((name) => !mayBeRefused(name, request)) ??
      formErrors.find((message) => !mayBeRefusedAsWhole(String(message), request));
    if (blamed !== undefined) issues.push(`${operation?.id}: refused what the document allows: ${blamed}`);
  }
  return issues;
}

/** A browser that requests an unknown page gets the not-found page instead of JSON. */
function isPageForBrowsers(request: FuzzRequest, reply: Reply, operation: DocumentedOperation | undefined): boolean {
  const asksForPage = request.headers.some(([name, value]) => name === 'Accept' && value.includes('text/html'));
  const isPage = reply.headers.get('content-type')?.startsWith('text/html') ?? false;
  return operation === undefined && reply.status === 404 && asksForPage && isPage;
}

/** What the document forbids about an accepted request, if anything. */
function whatIsForbidden(operation: DocumentedOperation, request: FuzzRequest): string | undefined {
  for (const parameter of operation.parameters) {
    if (parameter.in === 'query' && isForbiddenParameter(parameter, request.target)) return `a bad ${parameter.name}`;
    // Quotes around a value do not count.
    const longest = (parameter.schema.maxLength ?? Number.POSITIVE_INFINITY) + 2;
    const isTooLong = ([name, value]: readonly [string, string]) => name === parameter.name && value.length > longest;
    if (parameter.in === 'header' && request.headers.some(isTooLong)) return `a long ${parameter.name}`;
  }
  const { body } = operation;
  if (body === null) return undefined;
  if (request.body === null || request.body.length === 0)
    return body.isRequired ? 'a request without a body' : undefined;
  if (request.body.length > 1024 * 1024) return 'a body over 1 MiB';
  const header = (wanted: string) =>
    request.headers
      .findLast(([name]) => name === wanted)?.[1]
      .toLowerCase()
      .trim();
  if (!['', undefined, 'identity'].includes(header('Content-Encoding'))) return 'a compressed body';
  const type = header('Content-Type')?.split(';', 1)[0]?.trim() ?? '';
  if (!body.mediaTypes.includes(type)) return 'a body of another media type';
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(request.body));
  } catch {
    return 'a body that is no JSON in UTF-8';
  }
  if (isUnstorable(value, 0)) return 'NUL, half a surrogate pair, too big a number or too deep a body';
  return allows(body.schema, value) ? undefined : 'a body that the document does not allow';
}

function isForbiddenParameter({ name, required, schema }: Parameter, target: string): boolean {
  const start = target.indexOf('?');
  const parts = start === -1 ? [] : target.slice(start + 1).split('&');
  const values = parts.filter((part) => part.split('=', 1)[0] === name).map((part) => part.slice(name.length + 1));
  if (values.length === 0) return required === true && !target.includes('%');
  if (values.length > 1 && schema.type !== 'array') return true;
  let value: string;
  try {
    // Repeating a list is the same as separating its items by commas.
    value = decodeURIComponent(values.join(',').replaceAll('+', ' '));
  } catch {
    return true;
  }
  if (schema.type === 'array')
    return !allows(
      schema,
      value.split(',').map((part) => valueIn(part, schema.items)),
    );
  if (schema.type === 'boolean') return !['true', 'false'].includes(value);
  if (schema.type === 'integer') return !/^\d+$/.test(value) || !allows(schema, Number(value));
  return (
    value.includes('\0') || codePoints(value) > (schema.maxLength ?? Number.POSITIVE_INFINITY) || !allows(schema, value)
  );
}

/** An item of a list that is separated by commas. */
function valueIn(text: string, schema: Schema | undefined): unknown {
  return schema?.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
}

const deepest = 64;

function isUnstorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  if (depth > deepest) return true;
  return Object.entries(value).some(([key, inner]) => isUnstorable(key, depth) || isUnstorable(inner, depth + 1));
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
