import { connect, type Socket } from 'node:net';

export interface Reply {
  readonly status: number;
  /** With lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The connection ended before the response was complete: whether the request took effect is unknown. */
export class CutError extends Error {
  override readonly name = 'CutError';
}

export interface RequestOptions {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body?: unknown;
  readonly rawBody?: string | Buffer;
}

/**
 * A keep-alive connection with one request at a time: fast, and certain about which requests have a complete response.
 */
export class Connection {
  readonly #port: number;
  readonly #timeoutMs: number;
  #socket: Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve(reply: Reply): void; reject(error: Error): void; isHead: boolean } | null = null;

  constructor(port: number, { timeoutMs = 30_000 } = {}) {
    this.#port = port;
    this.#timeoutMs = timeoutMs;
  }

  request(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    return this.sendBytes(requestBytes(method, path, options), { isHead: method === 'HEAD' });
  }

  /** Sends raw bytes, valid or not, in one piece or split after the first byte, and waits for one response. */
  sendBytes(bytes: Buffer, { isHead = false, isCut = false } = {}): Promise<Reply> {
    if (this.#waiting !== null) throw new Error('one request at a time');
    return new Promise<Reply>((resolve, reject) => {
      this.#waiting = { resolve, reject, isHead };
      const socket = this.#socket ?? this.#open();
      this.#socket = socket;
      if (!isCut) socket.write(bytes);
      // The first byte is sent before the others follow.
      else socket.write(bytes.subarray(0, 1), () => setImmediate(() => socket.write(bytes.subarray(1))));
    });
  }

  /** Destroys the connection immediately. */
  cut(): void {
    this.#socket?.destroy();
    this.#lose('cut by the client');
  }

  close(): void {
    this.cut();
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1');
    this.#received = Buffer.alloc(0);
    socket.setNoDelay(true);
    socket.setTimeout(this.#timeoutMs, () => {
      if (this.#waiting !== null) socket.destroy(new Error(`no answer in ${this.#timeoutMs} ms`));
    });
    let socketError: Error | null = null;
    socket.on('error', (error) => {
      socketError = error;
    });
    socket.on('close', () => {
      if (this.#socket === socket) this.#lose(socketError?.message ?? 'closed');
    });
    socket.on('data', (chunk: Buffer) => {
      if (this.#socket === socket) this.#take(chunk);
    });
    return socket;
  }

  #lose(reason: string): void {
    this.#socket = null;
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(new CutError(reason));
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const waiting = this.#waiting;
    const parsed = waiting === null ? null : parseReply(this.#received, waiting.isHead);
    if (waiting === null || parsed === null) return;
    this.#received = this.#received.subarray(parsed.length);
    this.#waiting = null;
    if (parsed.reply.headers.get('connection')?.toLowerCase() === 'close') {
      this.#socket?.destroy();
      this.#socket = null;
    }
    waiting.resolve(parsed.reply);
  }
}

export function requestBytes(method: string, path: string, options: RequestOptions = {}): Buffer {
  const { key, headers = {}, body, rawBody } = options;
  const content = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  if (key !== undefined) lines.push(`Authorization: Bearer ${key}`);
  const given = Object.keys(headers).map((name) => name.toLowerCase());
  if (content !== undefined) {
    if (!given.includes('content-type')) lines.push('Content-Type: application/json');
    if (!given.includes('content-length')) lines.push(`Content-Length: ${Buffer.byteLength(content)}`);
  } else if (method !== 'GET' && method !== 'HEAD' && !given.includes('content-length')) {
    lines.push('Content-Length: 0');
  }
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return content === undefined ? head : Buffer.concat([head, Buffer.from(content)]);
}

/** The first complete response in the bytes and its length, or null if it is incomplete. */
export function parseReply(bytes: Buffer, isHead = false): { reply: Reply; length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [line = '', ...fields] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(line.slice(9, 12));
  const headers = new Map<string, string>();
  for (const field of fields) {
    const colon = field.indexOf(':');
    headers.set(field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim());
  }
  const start = headEnd + 4;
  if (status === 100) {
    const next = parseReply(bytes.subarray(start), isHead);
    return next === null ? null : { reply: next.reply, length: start + next.length };
  }
  if (isHead || status === 204 || status === 304) {
    return { reply: { status, headers, body: Buffer.alloc(0) }, length: start };
  }
  if (headers.get('transfer-encoding') === 'chunked') return parseChunked(bytes, start, { status, headers });
  const end = start + Number(headers.get('content-length') ?? 0);
  if (bytes.length < end) return null;
  return { reply: { status, headers, body: bytes.subarray(start, end) }, length: end };
}

function parseChunked(
  bytes: Buffer,
  start: number,
  head: Omit<Reply, 'body'>,
): { reply: Reply; length: number } | null {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return null;
    if (size === 0) return { reply: { ...head, body: Buffer.concat(chunks) }, length: end };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = end;
  }
}
