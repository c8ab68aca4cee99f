import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { withBrowser } from '../../dashboard/support/browser.ts';
import { launchChromium } from '../../dashboard/support/chromium.ts';
import { endWithTests } from '../../support/children.ts';
import { freePort } from '../../support/free-port.ts';
import { LiveDouble } from './live-double.ts';
import { allowMicrophone } from './page.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const key = 'vak_only-for-the-server';

/** The example as its README sets it up, with the compiled package. */
function copyExample(): string {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-shop-'));
  after(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, 'examples', 'web-call'), folder, { recursive: true });
  const sdk = join(folder, 'node_modules', 'voice-agent-sdk');
  mkdirSync(sdk, { recursive: true });
  cpSync(join(root, 'sdk', 'package.json'), join(sdk, 'package.json'));
  const compiler = join(root, 'node_modules', '.bin', 'tsc');
  const { status, stdout } = spawnSync(compiler, ['-p', join(root, 'sdk'), '--outDir', join(sdk, 'dist')], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
  return folder;
}

describe('the example of a call button', withBrowser, () => {
  it('calls from a page with a strict policy, and keeps the key on the server', async () => {
    const received: { authorization: string | undefined; body: Record<string, unknown> }[] = [];
    const double = await LiveDouble.start({
      onRequest: async (request, response) => {
        let text = '';
        for await (const part of request) text += part;
        received.push({ authorization: request.headers.authorization, body: JSON.parse(text) });
        const access = {
          token: double.token,
          expiresAt: '2026-11-16T00:00:00.000Z',
          liveUrl: `/live/v1/calls/${double.callId}`,
        };
        response
          .writeHead(201, { 'content-type': 'application/json' })
          .end(JSON.stringify({ id: double.callId, access }));
      },
    });
    const port = await freePort();
    const shop = spawn(process.execPath, [join(copyExample(), 'server.js')], {
      env: {
        ...process.env,
        SHOP_PORT: String(port),
        VOICE_AGENTS_BASE_URL: double.url,
        VOICE_AGENTS_API_KEY: key,
        AGENT_ID: 'agt_1',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    endWithTests(shop);
    await new Promise((resolve) => shop.stdout.once('data', resolve));

    const browser = await launchChromium(...allowMicrophone);
    after(() => browser.close());
    const page = await browser.newPage();
    const complaints: string[] = [];
    const bodies: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('response', async (response) => bodies.push(await response.text().catch(() => '')));
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByRole('button', { name: 'Talk to us' }).click();
    const joining = double.nextSocket();
    await page.getByRole('button', { name: 'Start call' }).click();
    const socket = await joining;
    await socket.until(() => socket.audio.length > 20);
    await page.getByRole('button', { name: 'End call' }).waitFor();
    assert.deepEqual(received, [
      {
        authorization: `Bearer ${key}`,
        body: {
          type: 'web',
          agentId: 'agt_1',
          metadata: { source: 'shop' },
          token: { allowedOrigins: [`http://127.0.0.1:${port}`] },
        },
      },
    ]);
    assert.ok(bodies.length > 5 && bodies.every((body) => !body.includes(key)));
    assert.deepEqual(double.problems, []);
    // The browser asks for an icon by itself.
    assert.deepEqual(
      complaints.filter((text) => !text.includes('404')),
      [],
    );
    const foreign = await fetch(`http://127.0.0.1:${port}/call`, {
      method: 'POST',
      headers: { origin: 'https://other.example' },
    });
    assert.equal(foreign.status, 403);
    for (const path of ['/sdk/../server.js', '/sdk/..%2Fpackage.json', '/server.js']) {
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 404, path);
    }
  });
});
