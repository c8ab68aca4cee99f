/** A request with ambiguous or missing framing, and a complete request smuggled behind it. */
export interface Framing {
  readonly title: string;
  /**
   * It must be refused with one response and the end of the connection. Others may be served, but never the smuggled
   * request.
   */
  readonly isRefused: boolean;
  /** The bytes, including the smuggled request. */
  readonly make: (parts: FramingParts) => string;
}

export interface FramingParts {
  /** The header lines of a valid request, with line ends. */
  readonly head: string;
  /** A body that creates an agent. */
  readonly body: string;
  /** A complete request that must not be executed. */
  readonly hidden: string;
}

const line = 'POST /api/v1/agents HTTP/1.1\r\n';

/** A body with an unusual Content-Length value, directly followed by the smuggled request. */
function withLength(value: string): Framing['make'] {
  return ({ head, body, hidden }) =>
    `${line}${head}Content-Length:${value.replace('N', String(body.length))}\r\n\r\n${body}${hidden}`;
}

/** Chunked for one parser; for another there is no body, or everything that follows is the body. */
function withCoding(...lines: string[]): Framing['make'] {
  return ({ head, hidden }) => `${line}${head}${lines.join('\r\n')}\r\n\r\n0\r\n\r\n${hidden}`;
}

function withChunks(chunks: (parts: FramingParts & { size: string }) => string): Framing['make'] {
  return (parts) => {
    const size = parts.body.length.toString(16);
    return `${line}${parts.head}Transfer-Encoding: chunked\r\n\r\n${chunks({ ...parts, size })}${parts.hidden}`;
  };
}

const badLengths = [
  ' +N', ' -N', ' N,N', ' N, N', ' N N', ' 0xN', ' N\x0b', ' \x0cN', ' N;', ' "N"', ' N.0', ' 1e2', ' Ne0', ' 99999999999999999999', ' 18446744073709551616', ' _N', ' N\0', ' \xb2', '',
]; // biome-ignore format: a table

const badCodings = [
  'xchunked', 'chunkedx', 'chunked, identity', 'identity', 'chunked;q=1', '\x0bchunked', 'chunked\0', 'chunk ed', '"chunked"', 'chunked,', 'gzip', 'chunked, gzip', 'cow', ' , ',
]; // biome-ignore format: a table

const badSizes = [
  'zz', '-1', '+5', '0x5', '', ';x', 'g', '5g', '\n', '\t5', ' 5', '"5"', '5,5', 'fffffffffffffffff', '10000000000000005', '5\0', '0\x0b',
]; // biome-ignore format: a table

const badLines = [
  'X: a\0b', 'X : a', 'X\0: a', 'X: a\rb', 'X', ': x', 'X: a\x0bb', 'X: a\x7fb', 'X\x80: a', 'X Y: a', 'X(: a', 'X: a\x01', '\x0bX: a',
]; // biome-ignore format: a table

const refused: [string, Framing['make']][] = [
  // Everything else about these is valid, so that only the line itself is a reason to refuse them.
  ...badLines.map((odd): [string, Framing['make']] => [
    `the line "${odd}"`,
    ({ head, body }) => `${line}${head}${odd}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ]),
  ['chunks, and a length that fits', ({ head, hidden }) => `${line}${head}Transfer-Encoding: chunked\r\nContent-Length: ${5 + hidden.length}\r\n\r\n0\r\n\r\n${hidden}`],
  ['a length that fits, and chunks', ({ head, hidden }) => `${line}${head}Content-Length: ${5 + hidden.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`],
  ['two lengths of which the last fits', ({ head, body }) => `${line}${head}Content-Length: 2\r\nContent-Length: ${body.length}\r\n\r\n${body}`],
  ['two lengths of which the first fits', ({ head, body }) => `${line}${head}Content-Length: ${body.length}\r\nContent-Length: 2\r\n\r\n${body}`],
  ...badLengths.map((value): [string, Framing['make']] => [`the length "${value}"`, withLength(value)]),
  ...badCodings.map((value): [string, Framing['make']] => [
    `the coding "${value}"`,
    withCoding(`Transfer-Encoding: ${value}`),
  ]),
  ['a length, then chunks', withCoding('Content-Length: 5', 'Transfer-Encoding: chunked')],
  ['chunks, then a length', withCoding('Transfer-Encoding: chunked', 'Content-Length: 5')],
  ['a length of 0, then chunks', withCoding('Content-Length: 0', 'Transfer-Encoding: chunked')],
  ['chunks of another spelling, and a length', withCoding('tRANSFER-eNCODING: Chunked', 'Content-Length: 5')],
  ['a space before the colon of the coding', withCoding('Transfer-Encoding : chunked')],
  ['a tab before the colon of the coding', withCoding('Transfer-Encoding\t: chunked')],
  ['a space before the colon of the length', withCoding('Content-Length : 5')],
  ['a space before the name of the coding', ({ head, hidden }) => `${line} Transfer-Encoding: chunked\r\n${head}\r\n0\r\n\r\n${hidden}`],
  ['NUL in the name of the coding', withCoding('Transfer-Encoding\0: chunked')],
  ['two lengths', withCoding('Content-Length: 5', 'Content-Length: 6')],
  ['two lengths, the first 0', withCoding('Content-Length: 0', 'Content-Length: 60')],
  ['NUL in a header', withCoding('X: a\0b', 'Content-Length: 5')],
  ['a header without a colon', withCoding('Transfer-Encoding', 'Content-Length: 5')],
  ['a header without a name', withCoding(': chunked', 'Content-Length: 5')],
  ['a bare CR in a header', withCoding('X: a\rTransfer-Encoding: chunked', 'Content-Length: 5')],
  ['a bare CR as the end of the head', ({ head, hidden }) => `${line}${head}Content-Length: 5\r\n\r${hidden}`],
  ['another version', ({ head, hidden }) => `GET /api/v1/agents HTTP/1.2\r\n${head}\r\n${hidden}`],
  ['no slash in the version', ({ head, hidden }) => `GET /api/v1/agents HTTP 1.1\r\n${head}\r\n${hidden}`],
  ['the preface of HTTP/2', ({ hidden }) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`],
  ['a TLS hello', ({ hidden }) => `\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03${hidden}`],
  ['a header over 16 KiB', withCoding(`X: ${'y'.repeat(17_000)}`, 'Content-Length: 5')],
  ...badSizes.map((size): [string, Framing['make']] => [
    `the chunk size "${size}"`,
    withChunks(({ body }) => `${size}\r\n${body}\r\n0\r\n\r\n`),
  ]),
  ['a chunk that is longer than its size', withChunks(({ body }) => `5\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk without an end of line', withChunks(({ body, size }) => `${size}\r\n${body}0\r\n\r\n`)],
  ['a chunk that ends in LF', withChunks(({ body, size }) => `${size}\r\n${body}\n0\r\n\r\n`)],
  ['a chunk that ends in CR', withChunks(({ body, size }) => `${size}\r\n${body}\r0\r\n\r\n`)],
  ['a chunk size that ends in LF', withChunks(({ body, size }) => `${size}\n${body}\r\n0\r\n\r\n`)],
  ['a chunk extension with LF', withChunks(({ body, size }) => `${size};a\n${body}\r\n0\r\n\r\n`)],
  ['a chunk extension of 20 KiB', withChunks(({ body, size }) => `${size};${'a'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`)],
  ['a chunk extension with NUL', withChunks(({ body, size }) => `${size};a\0\r\n${body}\r\n0\r\n\r\n`)],
  ['a trailer that is no header', withChunks(({ body, size }) => `${size}\r\n${body}\r\n0\r\nno header\r\n\r\n`)],
  ['a trailer of 20 KiB', withChunks(({ body, size }) => `${size}\r\n${body}\r\n0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`)],
]; // biome-ignore format: a table

/**
 * Cases that HTTP leaves open or tolerates: any interpretation is fine as long as the smuggled request is not executed.
 */
const tolerated: [string, Framing['make']][] = [
  ['no version', ({ hidden }) => `GET /api/v1/agents\r\n\r\n${hidden}`],
  ['a chunk that is shorter than its size', withChunks(({ body, size }) => `${size}f\r\n${body}\r\n0\r\n\r\n`)],
  ['a folded length', ({ head, body, hidden }) => `${line}${head}Content-Length:\r\n ${body.length + hidden.length}\r\n\r\n${body}${hidden}`],
  ['a folded coding', ({ head, hidden }) => `${line}${head}Transfer-Encoding:\r\n chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`],
  ['a folded header that looks like a request', ({ head, hidden }) => `GET /api/v1/agents?limit=1 HTTP/1.1\r\n${head}X: a\r\n ${hidden.replaceAll('\r\n', '\r\n ')}\r\n\r\n`],
  ['two hosts', ({ head, hidden }) => `${line}${head}Host: a\r\nHost: b\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['the same length twice', ({ head, hidden }) => `${line}${head}Content-Length: ${hidden.length}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['chunks, said twice', ({ head, hidden }) => `${line}${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`],
  ['a body of a read', ({ head, hidden }) => `GET /api/v1/agents?limit=1 HTTP/1.1\r\n${head}Content-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['chunks of a read', ({ head, hidden }) => `GET /api/v1/agents?limit=1 HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`],
  ['a body of a page', ({ head, hidden }) => `GET /healthz HTTP/1.1\r\n${head}Content-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['a body of an unknown path', ({ head, hidden }) => `POST /api/v1/nothing HTTP/1.1\r\n${head}Content-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['a body of an unknown method', ({ head, hidden }) => `PUT /api/v1/agents HTTP/1.1\r\n${head}Content-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['a body of a stranger', ({ hidden }) => `${line}Host: a\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['chunks of a stranger', ({ hidden }) => `${line}Host: a\r\nTransfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`],
  ['a body after an expectation', ({ head, hidden }) => `${line}${head}Expect: 100-continue\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['a body after an unknown expectation', ({ head, hidden }) => `${line}${head}Expect: more\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['a body over 1 MiB', ({ head, hidden }) => `${line}${head}Content-Length: ${1_100_000 + hidden.length}\r\n\r\n${' '.repeat(1_100_000)}${hidden}`],
  ['chunks over 1 MiB', ({ head, hidden }) => `${line}${head}Transfer-Encoding: chunked\r\n\r\n${(1_100_000 + hidden.length).toString(16)}\r\n${' '.repeat(1_100_000)}${hidden}\r\n0\r\n\r\n`],
  ['an upgrade with a body', ({ head, hidden }) => `${line}${head}Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['a connection that is to be closed', ({ head, hidden }) => `GET /api/v1/agents?limit=1 HTTP/1.1\r\n${head}Connection: close\r\n\r\n${hidden}`],
  ['HTTP/1.0', ({ head, hidden }) => `GET /api/v1/agents?limit=1 HTTP/1.0\r\n${head}\r\n${hidden}`],
  ['HTTP/1.0 with chunks', ({ head, hidden }) => `${line.replace('1.1', '1.0')}${head}Transfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`],
  ['HTTP/1.0 that is to be kept, with a body', ({ head, hidden }) => `${line.replace('1.1', '1.0')}${head}Connection: keep-alive\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['trailers that say how long the body is', ({ head, body }) => `${line}${head}Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ['CONNECT', ({ hidden }) => `CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: a\r\n\r\n${hidden}`],
]; // biome-ignore format: a table

export const framings: readonly Framing[] = [
  ...refused.map(([title, make]) => ({ title, isRefused: true, make })),
  ...tolerated.map(([title, make]) => ({ title, isRefused: false, make })),
];
