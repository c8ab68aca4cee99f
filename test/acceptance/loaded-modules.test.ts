import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

/** Starts the service, and prints which modules of tracing it has loaded once it serves requests. */
const serving = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({
  load(url, context, next) {
    if (url.includes('/src/tracing/') || url.includes('opentelemetry')) loaded.push(url.split('/').at(-1));
    return next(url, context);
  },
});
const { serve } = await import('./src/main.ts');
await serve(process.env);
console.log('LOADED ' + JSON.stringify(loaded));
process.kill(process.pid, 'SIGTERM');
`;

async function tracingModules(variables: Record<string, string>): Promise<{ loaded: string[]; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-loaded-'));
  const { PATH } = process.env;
  const env = { PATH, PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'a.db')}`, MEDIA_DIR: folder, ...variables };
  try {
    const args = ['--input-type=module', '--eval', serving];
    const { stdout: output } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
    return { loaded: JSON.parse(/^LOADED (.*)$/m.exec(output)?.[1] ?? ''), output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('tracing', () => {
  it('is not loaded at all until there is a collector, and other variables of it are named', async () => {
    const off = await tracingModules({ OTEL_SERVICE_NAME: 'desk', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a' });
    assert.deepEqual(off.loaded, []);
    assert.match(off.output, /"variables":\["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"\]/);
    const on = await tracingModules({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    assert.ok(on.loaded.includes('create.ts'), on.loaded.join());
  });
});

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
