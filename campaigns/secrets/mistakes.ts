import { type RequestOptions, requestBytes } from '../connection.ts';

/** A request with a misplaced secret, or one that is refused. */
export interface Mistake {
  readonly about: string;
  readonly bytes: Buffer;
  /** The response may repeat it: errors name their field, and next-page links contain the search. */
  readonly isNamedBack?: true;
}

/** Common mistakes of people and programs that have a secret. `key` is valid. */
export function mistakesWith(secret: string, key: string): Mistake[] {
  const inPath = encodeURIComponent(secret);
  const inHeader = Buffer.from(secret)
    .toString('latin1')
    .replaceAll(/[\r\n]/g, ' ');
  const inName = secret.replaceAll(/[^0-9A-Za-z_-]/g, '');
  const agents = '/api/v1/agents';
  const mistake = (about: string, method: string, path: string, options: RequestOptions = {}): Mistake => ({
    about,
    bytes: requestBytes(method, path, { key, ...options }),
  });
  const raw = (about: string, text: string): Mistake => ({ about, bytes: Buffer.from(text, 'latin1') });
  const named = (mistake: Mistake): Mistake => ({ ...mistake, isNamedBack: true });
  const valid = { name: 'Reception', voiceId: 'voice-1' };
  const header = (name: string, value: string) => ({ headers: { [name]: value } });
  return [
    mistake('in the query', 'GET', `${agents}?api_key=${inPath}`),
    mistake('in the query, without a key', 'GET', `${agents}?api_key=${inPath}&key=${inPath}`, { key: undefined }),
    mistake('as a size of a page', 'GET', `${agents}?limit=${inPath}`),
    mistake('as a cursor', 'GET', `${agents}?cursor=${inPath}`),
    mistake(
      'as the version of a difference',
      'GET',
      `${agents}/agt_000000000000000000000000000000/diff?from=${inPath}`,
    ),
    named(mistake('as the name of a parameter', 'GET', `${agents}?${inPath}=1`, header('Prefer', 'handling=strict'))),
    named(mistake('as a search', 'GET', `${agents}?limit=1&q=${inPath}`)),
    mistake('as an id', 'GET', `${agents}/${inPath}`),
    mistake('as the id of a key', 'DELETE', `/api/v1/api-keys/${inPath}`),
    mistake('as a version', 'GET', `${agents}/agt_000000000000000000000000000000/versions/${inPath}`),
    mistake('as a path', 'GET', `/${inPath}`),
    mistake('as a path of the API', 'POST', `/api/v1/${inPath}`, { body: {} }),
    mistake('as a path of the API, without a key', 'GET', `/api/${inPath}`, { key: undefined }),
    mistake('as a path of the pages', 'GET', `/docs/${inPath}`),
    mistake('in a path that is no UTF-8', 'GET', `${agents}/${inPath}%FF`),
    mistake('as a name of a header', 'GET', agents, header(`X-${inName}`, '1')),
    mistake('as a value of a header', 'GET', agents, header('X-Token', inHeader)),
    mistake('as a request id that is none', 'GET', agents, header('X-Request-Id', `${inHeader} !`)),
    mistake('as a preference', 'GET', agents, header('Prefer', inHeader)),
    mistake('as an expectation', 'GET', agents, header('Expect', inHeader)),
    mistake('as a condition', 'PATCH', `${agents}/agt_000000000000000000000000000000`, {
      body: { name: 'x' },
      ...header('If-Match', `"${inHeader}"`),
    }),
    mistake('as a type of content', 'POST', agents, { body: valid, ...header('Content-Type', inHeader) }),
    mistake('as an Idempotency-Key that is none', 'POST', agents, {
      body: { name: 'Reception' },
      ...header('Idempotency-Key', `${inHeader}\u00e9`),
    }),
    mistake('as another key than the other', 'GET', agents, header('X-API-Key', inHeader)),
    mistake('as a password', 'GET', agents, {
      key: undefined,
      ...header('Authorization', `Basic ${Buffer.from(`key:${secret}`).toString('base64')}`),
    }),
    mistake('as a bearer that is none', 'GET', agents, {
      key: undefined,
      ...header('Authorization', `Bearer ${inHeader}x`),
    }),
    mistake('as a bearer, in small letters', 'GET', '/metrics', {
      key: undefined,
      ...header('Authorization', `bearer ${inHeader}`),
    }),
    mistake('in a broken body', 'POST', agents, { rawBody: `{"name":"Reception","prompt":"${secret}` }),
    mistake('as a broken body', 'POST', agents, { rawBody: secret }),
    mistake('before what breaks a body', 'POST', agents, { rawBody: `{"prompt":${JSON.stringify(secret)},,}` }),
    mistake('right before what breaks a body', 'POST', agents, { rawBody: `{"prompt":"${secret}"x}` }),
    mistake('in a list as a body', 'POST', agents, { body: [secret] }),
    mistake('as a body that is a text', 'POST', agents, { body: secret }),
    mistake('in place of a number', 'POST', agents, { body: { ...valid, voiceSpeed: secret, volume: [secret] } }),
    mistake('in place of a choice', 'POST', agents, {
      body: { ...valid, sttMode: secret, responseEngineType: secret },
    }),
    mistake('in place of an object', 'POST', agents, { body: { ...valid, adaptiveSpeechRate: secret } }),
    mistake('in an address that is none', 'POST', agents, { body: { ...valid, webhookUrl: `ftp://u:${inPath}@host` } }),
    mistake('in a text that is too long', 'POST', agents, { body: { ...valid, language: secret.repeat(20) } }),
    mistake('in a text with NUL', 'POST', agents, { body: { ...valid, prompt: `${secret}\0` } }),
    mistake('in a pattern that is none', 'POST', agents, {
      body: { ...valid, pronunciationDictionary: [{ find: `(${secret}`, replace: '', isRegex: true }] },
    }),
    mistake('in two fields that contradict', 'POST', agents, {
      body: { ...valid, prompt: secret, responseEngine: { prompt: `${secret} ` } },
    }),
    mistake('as a scope', 'POST', '/api/v1/api-keys', { body: { scopes: [secret] } }),
    mistake('as a time', 'POST', '/api/v1/api-keys', { body: { scopes: ['agents:read'], expiresAt: secret } }),
    named(
      mistake('as the name of a field', 'POST', agents, {
        body: { ...valid, [secret]: 1 },
        ...header('Prefer', 'handling=strict'),
      }),
    ),
    mistake('in a form', 'POST', agents, {
      rawBody: `api_key=${inPath}`,
      ...header('Content-Type', 'application/x-www-form-urlencoded'),
    }),
    mistake('with a method that the path does not have', 'PUT', `${agents}?k=${inPath}`, { body: { key: secret } }),
    raw('as a method', `${inName} / HTTP/1.1\r\nHost: x\r\n\r\n`),
    raw('as no HTTP at all', `${inHeader}\r\n\r\n`),
    raw('in a version of HTTP', `GET / HTTP/${inName}\r\nHost: x\r\n\r\n`),
    raw('in a header without a colon', `GET / HTTP/1.1\r\nHost: x\r\n${inName}\r\n\r\n`),
    raw('as a length', `POST ${agents} HTTP/1.1\r\nHost: x\r\nContent-Length: ${inName}\r\n\r\n`),
    raw('as a coding', `POST ${agents} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${inName}\r\n\r\n`),
    raw('where nothing is tunnelled to', `CONNECT ${inName}:443 HTTP/1.1\r\nHost: x\r\n\r\n`),
    raw('in headers that are too long', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${inName.repeat(900)}\r\n\r\n`),
  ];
}
