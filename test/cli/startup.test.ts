import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { command } from './support.ts';

const hook = `import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => { process.stderr.write('loaded ' + url + '\\n'); return next(url, context); } });`;

/** What starts a command takes most of the time of one that waits for no service: loading its modules. */
describe('a command loads little before it starts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-startup-'));
  after(() => rmSync(folder, { recursive: true }));
  const loadedBy = (args: readonly string[]): string[] => {
    const { stderr } = spawnSync(process.execPath, [command, ...args], {
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
        DATABASE_URL: `sqlite:${join(folder, 'none.db')}`,
        VOICE_AGENTS_PROFILES: join(folder, 'profiles.json'),
      },
    });
    const urls = [...stderr.matchAll(/^loaded (file:.+)$/gm)].map(([, url = '']) => url);
    assert.ok(urls.length > 0, stderr);
    return urls;
  };
  const packagesIn = (urls: readonly string[]) =>
    [...new Set(urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))].sort();

  for (const args of [['--help'], ['agents', 'create', '--help'], ['simulate', '--help'], ['completion', 'bash']]) {
    it(`${args.join(' ')}: the declarations of the commands only`, () => {
      const urls = loadedBy(args);
      assert.ok(urls.length <= 65, `${urls.length} files`);
      assert.deepEqual(packagesIn(urls), ['commander']);
    });
  }

  for (const args of [
    ['agents', 'list'],
    ['keys', 'list', '--service'],
    ['audit', 'list'],
    ['calls', 'list'],
    ['webhooks', 'list'],
    ['open'],
  ]) {
    it(`${args.join(' ')}: no server code, and no package but that of the command line`, () => {
      const urls = loadedBy(args);
      assert.ok(urls.length <= 75, `${urls.length} files`);
      assert.deepEqual(packagesIn(urls), ['commander']);
      const server = urls.filter((url) => /\/src\/(?:storage|http|changes|jobs|voice|app|main)\b/.test(url));
      assert.deepEqual(server, []);
    });
  }

  for (const args of [
    ['keys', 'list'],
    ['backup', '-'],
  ]) {
    it(`${args.join(' ')}: the database, but neither schemas nor the server`, () => {
      const urls = loadedBy(args);
      assert.ok(urls.length <= 124, `${urls.length} files`);
      assert.deepEqual(packagesIn(urls), ['commander']);
      const server = urls.filter((url) => /\/src\/(?:http|jobs|voice|app|main)\b/.test(url));
      assert.deepEqual(server, []);
    });
  }
});
