import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { Route } from '../server.ts';
import { type EncodedFile, encodeFile, sendFile } from './encoded-file.ts';
import { browserHeaders, pageRoute } from './page.ts';

/** What a person may have in the address bar. The page itself finds out which one it is. */
const paths = ['/', '/sign-in', '/overview', '/agents', '/agents/*', '/keys', '/audit'];

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

// Compiled, this file is one folder deeper than in the source.
const builtFolder = join(dirname(findPackageJSON(import.meta.url) as string), 'dashboard', 'built');

/** The dashboard: built files, from our own origin and restricted to it by their policy. */
export function dashboardRoutes(folder = builtFolder): Route[] {
  const read = createReader(folder);
  const headers = browserHeaders(policyFor(readFileSync(join(folder, 'index.html'), 'utf8')));
  const route = (path: string, file: string, cacheControl: string): Route =>
    pageRoute('dashboard', path, async (exchange) =>
      sendFile(exchange, await read(file), { ...headers, 'cache-control': cacheControl }),
    );
  return [
    ...paths.map((path) => route(path, 'index.html', 'no-cache')),
    // Only files that exist are registered: any other name is an unknown path. Their names contain a digest of their content.
    ...readdirSync(join(folder, 'assets')).map((name) =>
      route(`/assets/${name}`, join('assets', name), 'public, max-age=31536000, immutable'),
    ),
  ];
}

/** The page may talk to this service only, and makes no HTML or script out of text. */
function policyFor(page: string): Record<string, string[]> {
  // The one inline script of the page, by its digest: any other does not run.
  const inline = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return {
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
  };
}

/** Each file is read and compressed once, when it is first requested: most instances never show the dashboard. */
function createReader(folder: string): (name: string) => Promise<EncodedFile> {
  const files = new Map<string, Promise<EncodedFile>>();
  return (name) => {
    let file = files.get(name);
    if (file === undefined) {
      const type = types[extname(name)] ?? 'application/octet-stream';
      file = readFile(join(folder, name)).then((content) => encodeFile(type, content));
      // A file that could not be read is tried again with the next request.
      file.catch(() => files.delete(name));
      files.set(name, file);
    }
    return file;
  };
}
