import type { Random } from '../random.ts';
import type { DocumentedOperation, Parameter } from './document.ts';
import type { Harvest, Resource } from './harvest.ts';
import { spoil, spoilBytes, textOf, validValue } from './values.ts';

export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
  /** Valid according to the document in every respect. */
  readonly isUntouched: boolean;
  /** The id that the response must carry, if a valid one was sent. */
  readonly requestId: string | null;
  readonly bytes: Buffer;
  readonly headLength: number;
}

interface Draft {
  method: string;
  path: string;
  /** Without the question mark. */
  query: string;
  headers: [string, string][];
  value: Record<string, unknown> | null;
  body: Buffer | null;
  isChunked: boolean;
}

export interface FuzzKeys {
  /** With all scopes. */
  readonly main: string;
  /** With one scope that most operations do not accept. */
  readonly narrow: string;
}

/** Generates requests from the document: about half of them valid, the others with a mutation. */
export class RequestMaker {
  readonly #operations: readonly DocumentedOperation[];
  readonly #harvest: Harvest;
  readonly #keys: FuzzKeys;
  readonly #random: Random;
  #made = 0;

  constructor(operations: readonly DocumentedOperation[], harvest: Harvest, keys: FuzzKeys, random: Random) {
    this.#operations = operations;
    this.#harvest = harvest;
    this.#keys = keys;
    this.#random = random;
  }

  next(): FuzzRequest {
    const random = this.#random;
    this.#made += 1;
    const tidying = random.chance(0.3) ? this.#tidying() : null;
    if (tidying !== null) return this.#finish(tidying, true);
    const operation = random.pick(this.#operations);
    const draft = this.#valid(operation);
    const isUntouched = random.chance(0.5);
    if (!isUntouched) for (let more = 1; more > 0; more = random.chance(0.25) ? 1 : 0) this.#spoil(draft, operation);
    return this.#finish(draft, isUntouched);
  }

  /** Deletes the oldest agent if there are too many, so that a long run does not fill the service. */
  #tidying(): Draft | null {
    for (const operation of this.#operations) {
      const surplus = operation.method === 'DELETE' ? this.#harvest.takeSurplus(operation.collection) : undefined;
      if (surplus === undefined) continue;
      const path = operation.path.replace(/\{\w+\}/, surplus.id);
      const headers: [string, string][] = [['Authorization', `Bearer ${this.#keys.main}`]];
      return { method: 'DELETE', path, query: '', headers, value: null, body: null, isChunked: false };
    }
    return null;
  }

  #valid(operation: DocumentedOperation): Draft {
    const random = this.#random;
    const resource = this.#harvest.resource(operation.collection, random);
    const of = (place: Parameter['in']) => operation.parameters.filter((parameter) => parameter.in === place);
    let path = operation.path;
    for (const [index, parameter] of of('path').entries())
      path = path.replace(`{${parameter.name}}`, encodeURIComponent(this.#pathValue(parameter, index, resource)));
    const headers: [string, string][] = [
      random.chance(0.7) ? ['Authorization', `Bearer ${this.#keys.main}`] : ['X-API-Key', this.#keys.main],
    ];
    for (const parameter of of('header')) {
      const value = this.#headerValue(parameter, resource);
      if (value !== null) headers.push([parameter.name, value]);
    }
    const draft: Draft = {
      method: operation.method,
      path,
      query: of('query')
        .flatMap((parameter) => this.#queryPart(parameter))
        .join('&'),
      headers,
      value: null,
      body: null,
      isChunked: false,
    };
    const next = random.chance(0.3) ? this.#harvest.nextAddress(operation, random) : undefined;
    if (next !== undefined) [draft.path = '', draft.query = ''] = next.split('?');
    const { body } = operation;
    if (body !== null && (body.isRequired || random.chance(0.6))) {
      draft.value = this.#withAgent(validValue(body.schema, random) as Record<string, unknown>);
      const charset = random.chance(0.1) ? '; charset=utf-8' : '';
      draft.headers.push(['Content-Type', random.pick(body.mediaTypes) + charset]);
      draft.isChunked = random.chance(0.05);
    }
    return draft;
  }

  #pathValue({ name, schema }: Parameter, index: number, resource: Resource | undefined): string {
    const random = this.#random;
    const example = String(random.pick(schema.examples ?? ['x']));
    if (resource === undefined || random.chance(0.02)) return example;
    if (index === 0) return resource.id;
    const known = resource.fields[name];
    if (random.chance(0.3) || known === undefined) return example;
    return String(typeof known === 'number' ? random.int(1, known) : known);
  }

  #queryPart({ name, required, schema }: Parameter): string[] {
    const random = this.#random;
    // Cursors are only used through next-page links.
    if (!required && (name === 'cursor' || random.chance(0.5))) return [];
    // Not longer, because requests that wait occupy their connection.
    if (name === 'waitSeconds') return [`${name}=${random.int(0, 1)}`];
    const value = name.endsWith('Id') && random.chance(0.8) ? this.#someId() : String(validValue(schema, random));
    return [`${name}=${encodeURIComponent(value)}`];
  }

  /** A body that names an agent mostly names one that exists, and its newest version, which need not be published. */
  #withAgent(value: Record<string, unknown>): Record<string, unknown> {
    const agent = this.#harvest.resource('/api/v1/agents', this.#random);
    if (!Object.hasOwn(value, 'agentId') || agent === undefined || this.#random.chance(0.1)) return value;
    const isChat = Object.hasOwn(value, 'type') && this.#random.chance(0.8);
    const chat = { type: 'chat', agentId: agent.id, agentVersion: 'latest' };
    return isChat ? chat : { ...value, agentId: agent.id };
  }

  #someId(): string {
    const { collection } = this.#random.pick(this.#operations);
    return this.#harvest.resource(collection, this.#random)?.id ?? 'unknown';
  }

  #headerValue({ name, schema }: Parameter, resource: Resource | undefined): string | null {
    const random = this.#random;
    if (name === 'Prefer') return random.chance(0.1) ? String(random.pick(schema.examples ?? [])) : null;
    if (random.chance(0.5)) return null;
    if (name === 'Idempotency-Key') return random.chance(0.05) ? `again-${random.int(1, 20)}` : `fuzz-${this.#made}`;
    const tag = resource?.etag ?? '"none"';
    return random.chance(0.85) ? tag : random.pick(['*', `W/${tag}`, tag.replaceAll('"', ''), `"x", ${tag}`]);
  }

  #spoil(draft: Draft, operation: DocumentedOperation): void {
    const random = this.#random;
    const schema = operation.body?.schema;
    if (draft.value !== null && draft.body === null && schema !== undefined && random.chance(0.65)) {
      for (let count = random.pick([1, 1, 1, 2, 5]); count > 0; count -= 1) spoil(draft.value, schema, random);
      if (random.chance(0.3))
        draft.body = spoilBytes(JSON.stringify(draft.value), Object.keys(schema.properties ?? {}), random);
      return;
    }
    const spoilers = [spoilPath, spoilQuery, spoilQuery, spoilHeaders, spoilHeaders, spoilMethod, spoilEncoding];
    if (random.chance(0.12)) this.#spoilKey(draft);
    else random.pick(spoilers)(draft, operation, random);
  }

  #spoilKey(draft: Draft): void {
    const random = this.#random;
    const { main, narrow } = this.#keys;
    draft.headers = draft.headers.filter(([name]) => name !== 'Authorization' && name !== 'X-API-Key');
    const choices: [string, string][][] = [
      [],
      [['Authorization', `Bearer ${narrow}`]],
      [['X-API-Key', narrow]],
      [['Authorization', 'Bearer ']],
      [['Authorization', `Basic ${Buffer.from(`x:${main}`).toString('base64')}`]],
      [['Authorization', `bearer  ${main}`]],
      [['Authorization', main]],
      [['Authorization', `Bearer ${main.slice(0, -1)}`]],
      [['Authorization', `Bearer ${main}x`]],
      [['Authorization', `Bearer ${main}`], ['X-API-Key', main]],
      [['Authorization', `Bearer ${main}`], ['X-API-Key', narrow]],
      [['X-API-Key', main], ['X-API-Key', main]],
      [['X-API-Key', main.toUpperCase()]],
      [['X-API-Key', textOf(random, 40)]],
      [['Authorization', `Bearer ${'x'.repeat(random.pick([200, 201, 8000]))}`]],
    ]; // biome-ignore format: a table
    draft.headers.push(...random.pick(choices));
  }

  #finish(draft: Draft, isUntouched: boolean): FuzzRequest {
    const { method, path, query, isChunked } = draft;
    const body = draft.body ?? (draft.value === null ? null : Buffer.from(JSON.stringify(draft.value)));
    const target = query === '' ? path : `${path}?${query}`;
    const headers = [...draft.headers];
    let requestId: string | null = null;
    if (!headers.some(([name]) => name.toLowerCase() === 'x-request-id') && this.#made % 10 !== 0) {
      requestId = `fuzz-${this.#made}`;
      headers.push(['X-Request-Id', requestId]);
    }
    if (isChunked) headers.push(['Transfer-Encoding', 'chunked']);
    else if (body !== null || method === 'POST') headers.push(['Content-Length', String(body?.length ?? 0)]);
    const lines = [
      `${method} ${target} HTTP/1.1`,
      'Host: 127.0.0.1',
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ];
    // Line breaks are left to the wire campaign, which tests framing.
    const head = Buffer.from(`${lines.map((line) => line.replaceAll(/[\r\n]/g, '')).join('\r\n')}\r\n\r\n`, 'latin1');
    const content = isChunked ? chunked(body ?? Buffer.alloc(0), this.#random) : body;
    const bytes = content === null ? head : Buffer.concat([head, content]);
    return { method, target, headers, body, isUntouched, requestId, bytes, headLength: head.length };
  }
}

function chunked(body: Buffer, random: Random): Buffer {
  const parts: Buffer[] = [];
  for (let place = 0; place < body.length; ) {
    const size = random.chance(0.5) ? body.length - place : random.int(1, body.length - place);
    parts.push(Buffer.from(`${size.toString(16)}\r\n`), body.subarray(place, place + size), Buffer.from('\r\n'));
    place += size;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

type Spoiler = (draft: Draft, operation: DocumentedOperation, random: Random) => void;

const oddSegments = [
  '', '.', '..', '%2e%2e', '%2E', '%2f', '%2F..%2f', '%00', '%', '%z', '%zz', '%1', '%c0%af', '%ff', '%ed%a0%80', '%f4%90%80%80',
  '%e4%ba%88', '%F0%9F%98%80', '%20', '+', '*', '~', '!$&()', ';a=1', ':', '@', '__proto__', 'constructor', 'null', 'undefined',
  '0', '-1', '1e3', '01', '999999999999999999999', 'latest', 'published', '\xe9', '\xe4\xba\x88', '\\', '"', '<', '`', '{', '|', '^',
  '#', '#x', ' ', 'agt_', 'agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz', 'key_01m2k7qv3h0000x4t9w8c5n1r6ybdz', '%25', '%2525',
]; // biome-ignore format: a table

const oddPaths = [
  '/', '//', '*', '/healthz', '/readyz', '/metrics', '/openapi.json', '/llms.txt', '/docs', '/docs/', '/docs/x', '/api', '/api/', '/api/v1', '/api/v1/',
  '/api/v2/agents', '/API/V1/AGENTS', '/api/v1//agents', '/api/v1/agents/', '//api/v1/agents', '/./api/v1/agents', '/api/v1/../v1/agents',
  '/api%2fv1%2fagents', '/%61pi/v1/agents', '/api/v1/agents;x', '/favicon.ico', '/.env', 'http://127.0.0.1/api/v1/agents',
  'http://127.0.0.1/healthz', 'api/v1/agents', '127.0.0.1:80', '?', '/?', '/healthz?x', '/healthz/', '/healthz%00',
]; // biome-ignore format: a table

const spoilPath: Spoiler = (draft, _operation, random) => {
  if (random.chance(0.2)) {
    draft.path = random.pick(oddPaths);
    return;
  }
  const segments = draft.path.split('/');
  const place = random.int(random.chance(0.8) ? Math.min(4, segments.length - 1) : 1, segments.length - 1);
  const odd = random.chance(0.01) ? 'x'.repeat(random.pick([1000, 8000, 20_000])) : random.pick(oddSegments);
  const kind = random.int(0, 3);
  if (kind < 2) segments[place] = odd;
  else if (kind === 2) segments[place] += odd;
  else segments.splice(place, random.int(0, 1), odd);
  draft.path = segments.join('/') || '/';
};

const oddParts = [
  '', '=', '&', '&&', 'x', 'x=', '=x', 'x=1', '__proto__=1', 'constructor=1', '%', '%zz=1', '%00=1', 'a=%00', 'a=%ff', 'a[]=1', 'a[b]=1', '?', '??a=1', '#',
]; // biome-ignore format: a table

const oddParameterValues = [
  '', '0', '1', '-1', '+1', '%2B1', '1.0', '1e1', '0x1', '00000000000000001', '1%20', '%201', '999999999999999', '9999999999999999999', 'NaN', 'Infinity', 'true',
  'null', '%', '%0', '%zz', '%00', '%ff', '%c0%80', '%ed%a0%80', '%ed%b0%80', '%F0%9F%98%80', '%E4%BA%88', '+', '%2b', '*', '\xe9', '%e2%80%ae', '%f4%8f%bf%bf',
  '%25', "'", '%22', '%5c', '%5f', '_', '\\', '[', '{}', '%ef%bf%bf', '%cc%81', '%df', 'ß', '%c4%b0', '%ef%ac%83',
]; // biome-ignore format: a table

const spoilQuery: Spoiler = (draft, operation, random) => {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
  const parts = draft.query === '' ? [] : draft.query.split('&');
  const kind = random.int(0, 7);
  const parameter = parameters.length === 0 ? null : random.pick(parameters);
  if (kind === 0 && parts.length > 0) parts.push(random.pick(parts));
  else if (kind === 1 || parameter === null) parts.splice(random.int(0, parts.length), 0, random.pick(oddParts));
  else if (kind === 2) parts.push(`${parameter.name}%5B%5D=1`, `${parameter.name.toUpperCase()}=1`);
  else if (kind === 3 && draft.query !== '') {
    const place = random.int(0, draft.query.length - 1);
    parts.splice(
      0,
      parts.length,
      draft.query.slice(0, place) + random.pick(['%', '&', '=', 'x', '+']) + draft.query.slice(place + 1),
    );
  } else {
    const { name, schema } = parameter;
    const value = random.chance(0.6) ? random.pick(oddParameterValues) : nearBound(schema, random);
    if (random.chance(0.8)) parts.splice(0, parts.length, ...parts.filter((part) => !part.startsWith(`${name}=`)));
    parts.push(`${name}=${value}`);
  }
  draft.query = parts.join('&');
};

function nearBound({ minimum, maximum, maxLength }: Parameter['schema'], random: Random): string {
  if (minimum !== undefined && maximum !== undefined)
    return String(random.pick([minimum - 1, minimum, maximum, maximum + 1, maximum * 10]));
  if (maxLength === undefined) return '';
  const character = random.pick(['x', '%F0%9F%98%80', '%E4%BA%88', '%20', '+']);
  return character.repeat(Math.min(4200, maxLength + random.int(-1, 1)));
}

const oddHeaderValues = [
  '', ' ', '*', '"', '""', '"x', 'x"', 'W/"', 'W/""', '*,*', ',', ',,,', '"a","b"', '\t', '\x01', '\x7f', '\xff', '\xe4\xba\x88', '\0', 'null', '0', '-1', 'a'.repeat(255),
  'a'.repeat(256), 'a'.repeat(257), '"'.repeat(300), `"${'a'.repeat(255)}"`, 'é'.repeat(10), 'handling=strict', 'handling=lenient', 'handling=strict; x', 'Handling = "strict"',
  'respond-async, handling=strict', '__proto__', '%00', '{}', '../', 'a b c',
]; // biome-ignore format: a table

const oddHeaders: readonly (readonly [string, string])[] = [
  ['Accept', 'text/html'], ['Accept', '*/*;q=0'], ['Accept-Encoding', 'gzip, br'], ['Accept-Charset', 'utf-16'], ['Expect', '100-continue'], ['Expect', 'x'], ['Range', 'bytes=0-1'],
  ['Connection', 'close'], ['Connection', 'keep-alive'], ['Connection', 'x, y'], ['Upgrade', 'h2c'], ['TE', 'trailers'], ['Trailer', 'x'], ['X-HTTP-Method-Override', 'DELETE'],
  ['Origin', 'null'], ['Cookie', 'a=b'], ['X-Forwarded-For', '1.2.3.4'], ['Forwarded', 'for=x'], ['If-Modified-Since', 'x'], ['If-Unmodified-Since', 'x'], ['If-Range', 'x'],
  ['__proto__', 'x'], ['constructor', 'x'], ['hasOwnProperty', 'x'], ['x'.repeat(500), 'x'], ['!#$%&*', 'x'], ['X', 'y'.repeat(5000)], ['X-Request-Id', 'a'.repeat(128)],
  ['X-Request-Id', 'a'.repeat(129)], ['X-Request-Id', 'a b'], ['X-Request-Id', '<script>'], ['X-Request-Id', ''], ['Content-Encoding', 'gzip'], ['Content-Language', 'x'],
]; // biome-ignore format: a table

const spoilHeaders: Spoiler = (draft, operation, random) => {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'header');
  const names = [
    ...parameters.map(({ name }) => name),
    'X-Request-Id',
    'If-Match',
    'If-None-Match',
    'Idempotency-Key',
    'Prefer',
    'Accept',
  ];
  const kind = random.int(0, 9);
  if (kind < 6) draft.headers.push([random.pick(names), random.pick(oddHeaderValues)]);
  else if (kind < 9) draft.headers.push([...random.pick(oddHeaders)]);
  else if (random.chance(0.9)) for (let count = 0; count < 60; count += 1) draft.headers.push([`X-${count}`, 'y']);
  else draft.headers.push(['X-Long', 'y'.repeat(random.pick([8000, 15_500, 16_400, 40_000]))]);
};

const oddMethods = [
  'HEAD',
  'HEAD',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PUT',
  'GET',
  'POST',
  'PATCH',
  'DELETE',
  'PROPFIND',
  'SEARCH',
  'QUERY',
  'BREW',
  'get',
  'G',
  '',
];

const spoilMethod: Spoiler = (draft, _operation, random) => {
  draft.method = random.pick(oddMethods);
};

const oddTypes = [
  '', 'json', 'text/json', 'text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json;', 'application/json; charset=utf-16',
  'application/json; charset="UTF-8"', 'application/json; charset=latin1', 'APPLICATION/JSON', 'application/json, application/json', 'application/json; a=b; charset=utf8',
  'application/merge-patch+json', 'application/json-patch+json', 'application/jsonx', '*/*', ';', 'application/json\t;charset=utf-8',
]; // biome-ignore format: a table
const oddEncodings = ['gzip', 'br', 'deflate', 'identity', 'Identity', 'gzip, identity', '', 'x', 'zstd'];

const spoilEncoding: Spoiler = (draft, _operation, random) => {
  const others = draft.headers.filter(([name]) => name !== 'Content-Type');
  if (random.chance(0.3)) draft.headers.push(['Content-Encoding', random.pick(oddEncodings)]);
  else if (random.chance(0.1)) draft.headers = others;
  else draft.headers = [...others, ['Content-Type', random.pick(oddTypes)]];
  // Also for operations without a body.
  draft.value ??= random.chance(0.5) ? { name: 'x', voiceId: 'x' } : null;
};
