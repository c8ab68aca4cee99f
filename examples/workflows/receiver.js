/**
 * Receives the requests of workflows: node examples/workflows/receiver.js. A request may arrive more than once, always with
 * the same Idempotency-Key, so the answer is remembered by that key and nothing is done twice. The first request of every
 * key is answered with 503, which shows how workflows try again; NO_FAILURES=1 turns that off.
 */
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const maxBodyBytes = 256 * 1024;

export function createReceiver({ fails = true, log = console.log } = {}) {
  /** By Idempotency-Key. Keep them in your database, in the transaction of what you do. */
  const answers = new Map();
  const failed = new Set();
  let tickets = 0;

  return createServer(async (request, response) => {
    const key = request.headers['idempotency-key'] ?? '';
    const body = await readBody(request);
    const answer = (status, content) => {
      log(`${request.method} ${request.url} ${key} -> ${status}`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    };
    if (body === null) return answer(413, { error: 'too large' });
    if (fails && !failed.has(key)) {
      failed.add(key);
      return answer(503, { error: 'try again' });
    }
    if (!answers.has(key)) {
      tickets += 1;
      answers.set(key, { ticket: tickets });
      log(body);
    }
    return answer(200, answers.get(key));
  });
}

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBodyBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const port = Number(process.env.RECEIVER_PORT ?? 8099);
  createReceiver({ fails: process.env.NO_FAILURES === undefined }).listen(port, '127.0.0.1', () => {
    console.log(`Listening at http://127.0.0.1:${port}`);
  });
}
