import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { Route } from '../server.ts';
import { encodeFile, sendFile } from './encoded-file.ts';
import { livePage } from './live-reference.ts';
import { browserHeaders, lazily, pageRoute, textRoute } from './page.ts';

const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6bcb"/><path d="M8 13v6M12 9v14M16 12v8M20 7v18M24 13v6" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`;

/** Scalar's browser build, compressed. See reference/README.md. */
const scriptFile = join(dirname(findPackageJSON(import.meta.url) as string), 'reference', 'scalar.js.br');

const configuration = {
  url: '/openapi.json',
  authentication: { preferredSecurityScheme: 'bearer' },
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  defaultOpenAllTags: true,
  agent: { disabled: true },
  mcp: { disabled: true },
};

/** The height of a bar above the reference, which its side bar stays below. */
const style =
  ':root{--scalar-custom-header-height:36px;color-scheme:light dark}body{margin:0}' +
  'nav{position:sticky;top:0;z-index:10;box-sizing:border-box;height:36px;padding:8px 16px;background:Canvas;font:14px/20px system-ui,sans-serif}' +
  'nav a{color:LinkText}';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Voice Agent Service: reference</title>
    <link rel="icon" href="/docs/favicon.svg" type="image/svg+xml" />
    <style>${style}</style>
  </head>
  <body>
    <nav><a href="/">← Dashboard</a></nav>
    <div id="app"></div>
    <script src="/docs/js/scalar.js"></script>
    <script>Scalar.createApiReference('#app', ${JSON.stringify(configuration)})</script>
  </body>
</html>
`;

/** The page may connect to this service only. */
const headers = browserHeaders({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'", "'unsafe-inline'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
});

/** The API reference: of the operations, and of the WebSocket of a call. */
export function referenceRoutes(): Route[] {
  const withType = (type: string) => ({ ...headers, 'cache-control': 'no-store', 'content-type': type });
  const pageBytes = Buffer.from(page);
  const script = lazily(async () => {
    const stored = await readFile(scriptFile);
    return encodeFile('text/javascript; charset=utf-8', await promisify(brotliDecompress)(stored), stored);
  });
  return [
    pageRoute('docs', '/docs', () => ({ status: 301, headers: { ...headers, location: '/docs/' }, body: null })),
    pageRoute('docs', '/docs/', () => ({ headers: withType('text/html; charset=utf-8'), body: pageBytes })),
    textRoute('docs', '/docs/live', withType('text/html; charset=utf-8'), livePage),
    pageRoute('docs', '/docs/js/scalar.js', async (exchange) =>
      sendFile(exchange, await script(), { ...headers, 'cache-control': 'no-cache' }),
    ),
    pageRoute('docs', '/docs/favicon.svg', () => ({ headers: withType('image/svg+xml'), body: favicon })),
  ];
}
