import { mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BucketConfig } from '../../src/config-media.ts';

/**
 * What happens to a request instead of being answered. `reset`: the connection breaks after some of the body. `silent`:
 * nothing.
 */
export type Fault = { readonly status: number; readonly code: string } | 'reset' | 'truncated' | 'silent' | null;

export interface ObjectStorage {
  /** Through the proxy. */
  readonly config: BucketConfig;
  /** Decides about each request; null: it is answered. */
  fault: (request: {
    readonly method: string;
    readonly url: URL;
    readonly headers: IncomingMessage['headers'];
  }) => Fault;
  /** The method and the query of each request so far, with parts as `part`. */
  readonly requests: string[];
  /** The keys in the bucket. */
  keys(): Promise<string[]>;
  close(): Promise<void>;
}

const accessKeyId = 'S3RVER';
const bucket = 'recordings';

/** s3rver, which is not ours, behind a proxy that breaks what a test wants broken. */
export async function startObjectStorage(prefix = ''): Promise<ObjectStorage> {
  const directory = mkdtempSync(join(tmpdir(), 'voice-agents-objects-'));
  const { default: S3rver } = await import('s3rver');
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  const requests: string[] = [];
  const storage = { fault: (): Fault => null } as Pick<ObjectStorage, 'fault'>;
  const proxy = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://storage');
    const { method = '', headers } = incoming;
    const part = url.searchParams.has('partNumber') ? ' part' : '';
    requests.push(`${method}${part}${url.searchParams.has('uploads') ? ' uploads' : ''}`);
    pass(incoming, outgoing, port, storage.fault({ method, url, headers }));
  });
  await listening(proxy);
  const { port: proxyPort } = proxy.address() as AddressInfo;
  return Object.assign(storage, {
    config: {
      bucket,
      prefix,
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${proxyPort}`,
      isPathStyle: true,
      hasLinks: false,
      credentials: { accessKeyId, secretAccessKey: accessKeyId, sessionToken: null },
    },
    requests,
    keys: async () => {
      const entries = await readdir(join(directory, bucket), { recursive: true, withFileTypes: true });
      const suffix = '._S3rver_object';
      return entries
        .filter(({ name }) => name.endsWith(suffix))
        .map(({ parentPath, name }) => join(parentPath, name).slice(join(directory, bucket).length + 1, -suffix.length))
        .sort();
    },
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  });
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, port: number, fault: Fault): void {
  if (fault === 'reset') {
    // In the middle of the body, if there is one.
    incoming.once('data', () => incoming.socket.resetAndDestroy());
    incoming.once('end', () => incoming.socket.resetAndDestroy());
    return;
  }
  if (fault === 'silent') {
    incoming.resume();
    return;
  }
  if (fault !== null && fault !== 'truncated') {
    incoming.resume();
    outgoing.writeHead(fault.status, { 'content-type': 'application/xml' });
    outgoing.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>as wanted</Message></Error>`);
    return;
  }
  const { method, url, headers } = incoming;
  const forwarded = request({ port, host: '127.0.0.1', method, path: url, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    if (fault === null) {
      response.pipe(outgoing);
      return;
    }
    response.once('data', (chunk: Buffer) => {
      outgoing.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => incoming.socket.resetAndDestroy());
      response.destroy();
    });
    response.once('end', () => incoming.socket.resetAndDestroy());
  });
  forwarded.on('error', () => incoming.socket.destroy());
  incoming.pipe(forwarded);
}
