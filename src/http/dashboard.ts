import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What a person may have in the address bar. The page itself finds out which one it is. */
const pages = ['/', '/sign-in', '/overview', '/agents', '/agents/*', '/keys', '/audit'];

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A twentieth of the time that the highest takes, for a result that is 8 % larger: somebody is waiting. */
const brotliQuality = 9;

interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

// Compiled, this file lies one folder deeper than in the source.
const builtFolder = join(dirname(findPackageJSON(import.meta.url) as string), 'dashboard', 'built');

/** The dashboard: files that were built before, from our own origin and held to it by their policy. */
export function registerDashboard(server: FastifyInstance, folder = builtFolder): void {
  const read = createReader(folder);
  // In a scope of its own, so that its headers are not put on every answer of the API.
  server.register(async (scope) => {
    const contentSecurityPolicy = policyFor(readFileSync(join(folder, 'index.html'), 'utf8'));
    await scope.register(helmet, { contentSecurityPolicy, strictTransportSecurity: false });
    const config = { operationId: 'dashboard' };
    const sendPage = async (request: FastifyRequest, reply: FastifyReply) =>
      send(request, reply, await read('index.html'), 'no-cache');
    for (const page of pages) scope.get(page, { config }, sendPage);
    // Only what is there is registered: any other name is answered as every unknown path is.
    for (const name of readdirSync(join(folder, 'assets'))) {
      // Its name has a digest of its content: what is under it never changes.
      scope.get(`/assets/${name}`, { config }, async (request, reply) =>
        send(request, reply, await read(join('assets', name)), 'public, max-age=31536000, immutable'),
      );
    }
  });
}

/** The page may talk to this service and to nobody else, and makes no HTML or script out of text. */
function policyFor(page: string) {
  // The one script that stands in the page itself, by its digest: what anybody else puts there does not run.
  const inline = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", ...inline],
      // Mantine writes the variables of its theme into the page as a style.
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ['default'],
    },
  };
}

/** Each file is read and compressed once, when it is first asked for: most instances never show the dashboard. */
function createReader(folder: string): (name: string) => Promise<BuiltFile> {
  const files = new Map<string, Promise<BuiltFile>>();
  return (name) => {
    let file = files.get(name);
    if (file === undefined) {
      file = prepare(join(folder, name));
      // What could not be read is tried again with the next request.
      file.catch(() => files.delete(name));
      files.set(name, file);
    }
    return file;
  };
}

async function prepare(path: string): Promise<BuiltFile> {
  const plain = await readFile(path);
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
    promisify(gzip)(plain, { level: 9 }),
  ]);
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { type: types[extname(path)] ?? 'application/octet-stream', etag: digest, plain, br, gzip: zipped };
}

function send(request: FastifyRequest, reply: FastifyReply, file: BuiltFile, cacheControl: string): FastifyReply {
  const encoding = encodingFor(request.headers['accept-encoding'] ?? '');
  // Each encoding is a content of its own, and has a tag of its own.
  const etag = `"${file.etag}-${encoding}"`;
  reply.header('cache-control', cacheControl).header('vary', 'accept-encoding').header('etag', etag);
  const known = request.headers['if-none-match'];
  if (known?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)) return reply.code(304).send();
  reply.type(file.type);
  if (encoding !== 'plain') reply.header('content-encoding', encoding);
  return reply.send(file[encoding]);
}

/** The smallest that the client takes. One that it names with `q=0` it does not. */
function encodingFor(accepted: string): 'br' | 'gzip' | 'plain' {
  const names = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, quality]) => quality === undefined || !/^q=0(\.0*)?$/.test(quality))
    .map(([name]) => name);
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : 'plain';
}
