import type { IncomingHttpHeaders } from 'node:http';

/** The headers of a request as they were sent, and what has been made of them. */
export interface PlainHeaders {
  /** From the end of the first line to the end of the head. */
  readonly bytes: Buffer;
  readonly values: Readonly<IncomingHttpHeaders>;
  readonly bodyLength: number;
}

/** A request that is simple enough to be read here, whole and with nothing after it. */
export interface PlainRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: PlainHeaders;
  readonly body: Buffer;
}

const longestHead = 8192;
const endOfLine = '\r\n';
const endOfHead = '\r\n\r\n';
const noBody = Buffer.alloc(0);
const methods = ['GET', 'POST', 'PATCH', 'DELETE'];
const version = ' HTTP/1.1';
const address = /^\/[!-"$-~]*$/;
const headerLine =
  /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*((?:[!-~\x80-\xff](?:[\t !-~\x80-\xff]*[!-~\x80-\xff])?)?)[ \t]*$/;
/** What changes how a message is read or how the connection goes on. */
const notPlain = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads what came over a socket, where it is exactly one request of the plainest kind: one line, header lines each with
 * a name of its own, and the body that Content-Length tells, if any. Null for everything else, also for all that is not
 * valid: Node's parser then decides what to make of it. So nothing is ever understood in another way than Node would.
 *
 * `before` are the headers of the last request on the same connection. A client sends the same ones again and again.
 */
export function readPlainRequest(chunk: Buffer, before: PlainHeaders | null): PlainRequest | null {
  const again = before === null ? -1 : chunk.length - before.bytes.length;
  if (before?.bodyLength === 0 && again > 0 && chunk.subarray(again).equals(before.bytes)) {
    return readLine(chunk.toString('latin1', 0, again), before, noBody);
  }
  const headEnd = chunk.indexOf(endOfHead);
  if (headEnd === -1 || headEnd > longestHead) return null;
  const lineEnd = chunk.indexOf(endOfLine);
  const bodyStart = headEnd + endOfHead.length;
  const headers = readHeaders(Buffer.from(chunk.subarray(lineEnd, bodyStart)));
  if (headers === null || chunk.length - bodyStart !== headers.bodyLength) return null;
  return readLine(chunk.toString('latin1', 0, lineEnd), headers, chunk.subarray(bodyStart));
}

function readLine(line: string, headers: PlainHeaders, body: Buffer): PlainRequest | null {
  // One of these very strings, and not a piece of the line: it is looked up by for every request.
  const method = methods.find((known) => line.startsWith(known) && line[known.length] === ' ');
  if (method === undefined || !line.endsWith(version)) return null;
  const url = line.slice(method.length + 1, -version.length);
  if (!address.test(url)) return null;
  // A body where none is expected is no fault, but rare enough to be left to Node.
  if (body.length > 0 && method !== 'POST' && method !== 'PATCH') return null;
  return { method, url, headers, body };
}

function readHeaders(bytes: Buffer): PlainHeaders | null {
  const values: Record<string, string> = Object.create(null);
  // Between the first line end and the last two.
  const text = bytes.toString('latin1', endOfLine.length, bytes.length - endOfHead.length);
  for (const line of text === '' ? [] : text.split(endOfLine)) {
    const [, givenName, value] = headerLine.exec(line) ?? [];
    if (givenName === undefined || value === undefined) return null;
    const name = givenName.toLowerCase();
    if (name in values) return null;
    if (notPlain.has(name) && !(name === 'connection' && value.toLowerCase() === 'keep-alive')) return null;
    values[name] = value;
  }
  const length = values['content-length'] ?? '0';
  return /^\d{1,7}$/.test(length) ? { bytes, values, bodyLength: Number(length) } : null;
}
