import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { pathNotFound } from '../../core/errors.ts';
import type { Route } from '../server.ts';
import { dashboardPaths } from './dashboard-paths.ts';
import { type EncodedFile, encodeFile, sendFile } from './encoded-file.ts';
import { browserHeaders, pageRoute } from './page.ts';

/** Paths that can be opened directly; the page does its own routing. */
const paths = ['/', '/sign-in', ...dashboardPaths];

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

// The compiled file is one folder deeper than the source.
const builtFolder = join(dirname(findPackageJSON(import.meta.url) as string), 'dashboard', 'built');

export interface Dashboard {
  readonly routes: Route[];
  /** Serves the page with status 404: it shows that there is nothing at this path. */
  readonly notFound: Route;
}

/** The dashboard: built files from our own origin, restricted to it by the Content-Security-Policy. */
export function createDashboard(folder = builtFolder): Dashboard {
  const read = createReader(folder);
  const headers = browserHeaders(policyFor(readFileSync(join(folder, 'index.html'), 'utf8')));
  const route = (path: string, load: () => Promise<EncodedFile>, cacheControl: string): Route =>
    pageRoute('dashboard', path, async (exchange) =>
      sendFile(exchange, await load(), { ...headers, 'cache-control': cacheControl }),
    );
  const notFound = pageRoute('dashboard', '*', async (exchange) => {
    // Unconditional: nothing is cached.
    const request = { headers: { ...exchange.headers, 'if-none-match': undefined } };
    const page = sendFile(request, await read('index.html'), { ...headers, 'cache-control': 'no-store' });
    return { ...page, status: 404 };
  });
  const routes = [
    ...paths.map((path) => route(path, () => read('index.html'), 'no-cache')),
    // Only existing files are registered; any other name is an unknown path. The file names contain a content hash.
    ...readdirSync(join(folder, 'assets')).map((name) =>
      route(
        `/assets/${name}`,
        () => read(join('assets', name)).catch(notFoundIfMissing),
        'public, max-age=31536000, immutable',
      ),
    ),
  ];
  return { routes, notFound };
}

/** The page may connect to this service only, and cannot create HTML or scripts from text. */
function policyFor(page: string): Record<string, string[]> {
  // Allows the inline script of the page by its hash; no other inline script runs.
  const inline = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'", ...inline],
    // Mantine adds its theme variables to the page as an inline style.
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    mediaSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ['default'],
  };
}

/** Reads and compresses each file once, on the first request: most instances never serve the dashboard. */
function createReader(folder: string): (name: string) => Promise<EncodedFile> {
  const files = new Map<string, Promise<EncodedFile>>();
  return (name) => {
    let file = files.get(name);
    if (file === undefined) {
      const type = types[extname(name)] ?? 'application/octet-stream';
      file = readFile(join(folder, name)).then((content) => encodeFile(type, content));
      // Retries with the next request if the file could not be read.
      file.catch(() => files.delete(name));
      files.set(name, file);
    }
    return file;
  };
}

/** A build that has replaced the folder since the start has removed files under their old names. */
function notFoundIfMissing(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENOENT' ? pathNotFound() : error;
}
