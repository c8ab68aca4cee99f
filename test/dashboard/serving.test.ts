import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Exchange } from '../../src/http/operations/exchange.ts';
import { createDashboard } from '../../src/http/pages/dashboard.ts';
import { send } from '../support/client.ts';
import { sqliteEngine } from '../support/engines.ts';
import { sendRaw } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';

describe('the dashboard files', () => {
  const service = useService(sqliteEngine());
  const assets = readdirSync(new URL('../../dashboard/built/assets', import.meta.url));

  it('are one page at every URL of the dashboard, and nowhere else', async () => {
    const first = await (await fetch(`${service.url}/`)).text();
    assert.match(first, /<div id="root">/);
    for (const path of [
      '/sign-in',
      '/overview',
      '/agents',
      '/agents/new',
      '/agents/agt_1/versions',
      '/keys',
      '/audit?x=1',
      '/analytics?period=7d',
      '/settings/prices',
    ]) {
      const answer = await fetch(service.url + path);
      assert.equal(answer.status, 200, path);
      assert.equal(await answer.text(), first, path);
    }
    for (const path of [
      '/nothing',
      '/keys/1',
      '/index.html',
      '/assets/',
      '/assets/none.js',
      '/assets/..%2findex.html',
    ]) {
      assert.equal((await send(service, 'GET', path)).status, 404, path);
    }
    assert.equal((await send(service, 'POST', '/keys')).status, 405);
  });

  it('may only connect to this origin, and create no script from text', async () => {
    const page = await (await fetch(service.url)).text();
    const inline = /<script>(.*?)<\/script>/s.exec(page)?.[1] as string;
    const digest = createHash('sha256').update(inline).digest('base64');
    for (const path of ['/', `/assets/${assets[0]}`]) {
      const { headers } = await fetch(service.url + path);
      const policy = headers.get('content-security-policy') ?? '';
      for (const rule of [
        "default-src 'none'",
        `script-src 'self' 'sha256-${digest}'`,
        "connect-src 'self'",
        "media-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]) {
        assert.ok(policy.split(';').includes(rule), `${rule} in ${policy}`);
      }
      assert.ok(!/https?:|\*|unsafe-eval/.test(policy), policy);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
    }
  });

  it('are cached forever if their name contains a hash, and revalidated otherwise', async () => {
    const script = assets.find((name) => name.endsWith('.js')) as string;
    const asset = await fetch(`${service.url}/assets/${script}`);
    assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.match(asset.headers.get('content-type') ?? '', /^text\/javascript/);
    const page = await fetch(`${service.url}/overview`);
    assert.equal(page.headers.get('cache-control'), 'no-cache');
    const again = await fetch(`${service.url}/agents`, {
      headers: { 'if-none-match': page.headers.get('etag') as string },
    });
    assert.equal(again.status, 304);
    assert.equal(await again.text(), '');
  });

  it('are sent in an encoding that the client accepts', async () => {
    const ask = async (accepted: string) => {
      const lines = `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept-Encoding: ${accepted}\r\n\r\n`;
      const [answer] = await sendRaw(service.port, lines);
      return answer as NonNullable<typeof answer>;
    };
    assert.equal((await ask('gzip, deflate, br')).headers.get('content-encoding'), 'br');
    assert.equal((await ask('gzip, br;q=0')).headers.get('content-encoding'), 'gzip');
    assert.equal((await ask('identity')).headers.get('content-encoding'), undefined);
    const plain = await (await fetch(service.url, { headers: { 'accept-encoding': 'identity' } })).text();
    const zipped = await fetch(service.url, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(zipped.headers.get('vary'), 'accept-encoding');
    assert.equal(await zipped.text(), plain);
  });

  it('respond to HEAD as to GET, without the body', async () => {
    const answer = await fetch(`${service.url}/overview`, { method: 'HEAD' });
    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), '');
  });

  it('are not found, rather than an internal error, once a new build has replaced them', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'voice-agents-built-'));
    t.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<div id="root"></div>');
    writeFileSync(join(folder, 'assets', 'old-1.js'), '');
    const { routes } = createDashboard(folder);
    rmSync(join(folder, 'assets', 'old-1.js'));
    const old = routes.find(({ path }) => path === '/assets/old-1.js');
    await assert.rejects(async () => old?.serve({ headers: {} } as Exchange, {}), { code: 'NOT_FOUND' });
  });
});
