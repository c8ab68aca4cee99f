import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');

/** Prints the packages that the service has loaded before it has any work, and Node's own `fetch` client if it is there. */
const program = `
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({
  load(url, context, next) {
    const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
    if (name !== undefined) loaded.add(name);
    return next(url, context);
  },
});
await import('./src/main.ts');
if (process.moduleLoadList.some((name) => name.includes('undici'))) loaded.add('fetch');
console.log(JSON.stringify([...loaded]));
`;

describe('a service without calls', () => {
  it('does not load what only calls, metrics or PostgreSQL need: each takes megabytes', async () => {
    const args = ['--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    const loaded: string[] = JSON.parse(stdout);
    assert.ok(loaded.includes('zod'), 'packages are listed');
    const needless = ['openai', 'undici', 'fetch', 'libphonenumber-js', 'chrono-node', '@prometheus-io/client', 'pg'];
    assert.deepEqual(
      needless.filter((name) => loaded.includes(name)),
      [],
    );
  });
});
