import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { newWebhookSecret, signatureHeaders } from '../../src/core/webhook-signature.ts';
import { endWithTests } from '../support/children.ts';
import { runToEnd } from '../support/process.ts';
import { useCommandLine } from './support.ts';

const folder = join(import.meta.dirname, '..', '..', 'examples', 'python');
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('the Python example', { skip: !hasPython && 'there is no python3' }, () => {
  const line = useCommandLine();

  it('creates an agent and chats with it', async () => {
    const { code, stdout, stderr } = await runToEnd('python3', [join(folder, 'agent.py')], line.settings);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^Created Python example \(agt_\w+\)\.\nagent: Harbor Books, good morning\.\ncaller: Do you have gift cards\?\nagent: .*gift cards.*\ncaller: Thank you\.\nagent: .*\nThe call is over: \w+\.\n$/,
    );
  });

  it('shows what is wrong with a request', async () => {
    const settings = { ...line.settings, VOICE_AGENTS_API_KEY: 'vak_wrong' };
    const { code, stderr } = await runToEnd('python3', [join(folder, 'agent.py')], settings);
    assert.equal(code, 1);
    assert.match(stderr, /^401 UNAUTHORIZED: /);
  });

  it('says which setting is missing, and that no service answers, without a traceback', async () => {
    const none = await runToEnd('python3', [join(folder, 'agent.py')], {});
    assert.equal(none.code, 1);
    assert.match(none.stderr, /^Set VOICE_AGENTS_API_KEY to an API key\./);
    const settings = { ...line.settings, VOICE_AGENTS_BASE_URL: 'http://127.0.0.1:1' };
    const away = await runToEnd('python3', [join(folder, 'agent.py')], settings);
    assert.equal(away.code, 1);
    assert.match(away.stderr, /^No service answers at http:\/\/127\.0\.0\.1:1: [^\n]+\n$/);
    const webhook = await runToEnd('python3', [join(folder, 'webhook.py')], {});
    assert.equal(webhook.code, 1);
    assert.match(webhook.stderr, /^Set WEBHOOK_SECRET to the secret of the webhook/);
  });

  it('accepts events that are signed with the secret, and nothing else', async () => {
    const secret = newWebhookSecret();
    const environment = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: '0' };
    const child = spawn('python3', [join(folder, 'webhook.py')], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    endWithTests(child);
    const lines = createInterface({ input: child.stdout });
    const [greeting] = (await once(lines, 'line')) as [string];
    const url = greeting.replace('Listening on ', '');
    const body = JSON.stringify({ type: 'call_ended', id: 'evt_1', data: { text: '予約' } });
    const now = Math.floor(Date.now() / 1000);
    const send = async (headers: object, content = body) =>
      (await fetch(url, { method: 'POST', headers: { ...headers }, body: content })).status;
    const printed = once(lines, 'line');
    assert.equal(await send(signatureHeaders('evt_1', now, body, [secret])), 204);
    assert.deepEqual(await printed, ['call_ended evt_1']);
    assert.equal(await send(signatureHeaders('evt_1', now, body, [newWebhookSecret(), secret])), 204);
    assert.equal(await send(signatureHeaders('evt_1', now, body, [newWebhookSecret()])), 400);
    assert.equal(await send(signatureHeaders('evt_1', now, body, [secret]), `${body} `), 400);
    assert.equal(await send(signatureHeaders('evt_1', now - 301, body, [secret])), 400);
    assert.equal(await send({}), 400);
    child.kill('SIGTERM');
  });
});
