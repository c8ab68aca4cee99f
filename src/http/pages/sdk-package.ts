import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import type { Route } from '../server.ts';
import { isKnownTag } from './encoded-file.ts';
import { lazily, pageRoute } from './page.ts';

/** Built with `npm run generate`. The compiled file of this module is one folder deeper than the source. */
const packageFile = join(dirname(findPackageJSON(import.meta.url) as string), 'sdk', 'built', 'voice-agent-sdk.tgz');

/** `/sdk.tgz`: the SDK of this version of the service, for `npm install http://…/sdk.tgz`. */
export function sdkPackageRoute(file = packageFile): Route {
  const load = lazily(async () => {
    const content = await readFile(file);
    return { content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` };
  });
  return pageRoute('sdk', '/sdk.tgz', async (exchange) => {
    const { content, etag } = await load();
    const headers = { 'cache-control': 'no-cache', etag };
    if (isKnownTag(exchange, etag)) return { status: 304, headers, body: null };
    const described = {
      'content-type': 'application/gzip',
      'content-disposition': 'attachment; filename="voice-agent-sdk.tgz"',
    };
    return { headers: { ...headers, ...described }, body: content };
  });
}
