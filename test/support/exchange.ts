import { Agent, request } from 'node:http';

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Connections are kept alive between requests. */
const agent = new Agent({ keepAlive: true });

interface Exchange {
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly content?: string | Uint8Array | undefined;
}

/**
 * Like `fetch`, which takes three times as long, a large part of the test time. No response is a TypeError here, too.
 */
export function exchange(address: string, { method, headers = {}, content }: Exchange): Promise<Received> {
  const length = content === undefined ? {} : { 'content-length': String(Buffer.byteLength(content)) };
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new TypeError(`no answer: ${cause.message}`, { cause }));
    const sent = request(address, { method, agent, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const received = new Headers();
        for (let place = 0; place < response.rawHeaders.length; place += 2)
          received.append(response.rawHeaders[place] as string, response.rawHeaders[place + 1] as string);
        resolve({ status: response.statusCode as number, headers: received, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', fail);
    sent.end(content);
  });
}
