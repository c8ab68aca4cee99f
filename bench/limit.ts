/**
 * The limit: what Node itself takes to serve HTTP, without a backend. It reads requests and responds with a constant
 * body.
 *
 *   node bench/limit.ts --port 8090 --bytes 1400 [--status 201]
 *
 * The bench changes the size between measurements with a message: { bytes, status }.
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

export interface LimitResponse {
  readonly bytes: number;
  readonly status: number;
}

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8090' },
    bytes: { type: 'string', default: '1400' },
    status: { type: 'string', default: '200' },
  },
});

let status = Number(values.status);
let body = Buffer.alloc(Number(values.bytes), 'x');
let headers = headersFor(body);

function headersFor({ length }: Buffer) {
  return { 'content-type': 'application/json', 'content-length': length };
}

process.on('message', (response: LimitResponse) => {
  status = response.status;
  body = Buffer.alloc(response.bytes, 'x');
  headers = headersFor(body);
  process.send?.('set');
});
process.on('disconnect', () => process.exit());

createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  if (request.method === 'GET') {
    response.writeHead(status, headers).end(body);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    Buffer.concat(chunks);
    response.writeHead(status, headers).end(body);
  });
}).listen(Number(values.port), '127.0.0.1');
