import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { verifyWebhook } from '../../../sdk/src/index.ts';
import { command, useCommandLine } from '../../cli/support.ts';
import { eventually } from '../../support/eventually.ts';
import { eventReceiver } from './receiving.ts';

describe('voice-agents webhooks', () => {
  const line = useCommandLine({ webhookSending: { pollMs: 50 } });
  const json = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await line.run([...args, '--json']);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const publish = async (name: string) => {
    const { id } = await line.client.agents.create({ name, voiceId: 'ja-JP-Nanami' });
    await line.client.agents.publish(id, { versionDescription: '年末 "\u2028" 😀 </script> é' });
    return id;
  };

  it('creates, shows, changes, tests and deletes a webhook, and prints its secret when asked', async () => {
    const receiver = await eventReceiver();
    const made = await json([
      'webhooks',
      'create',
      '--url',
      receiver.url,
      '--events',
      'agent_published',
      '--description',
      'CRM',
    ]);
    const { secret, ...webhook } = made;
    assert.deepEqual(await json(['webhooks', 'get', webhook.id]), webhook);
    assert.equal((await line.run(['webhooks', 'secret', webhook.id])).stdout, `${secret}\n`);
    const { stdout: listed } = await line.run(['webhooks', 'list', '--kind', 'workspace']);
    assert.ok(listed.includes(webhook.id) && !listed.includes(secret));
    const tested = await line.run(['webhooks', 'test', webhook.id]);
    assert.match(tested.stdout, /^succeeded with status 200 after \d+ ms\.\n$/);
    await publish('Published');
    await eventually(() => receiver.requests.length === 2, 'the delivery');
    const { stdout: deliveries } = await line.run([
      'webhooks',
      'deliveries',
      webhook.id,
      '--type',
      'agent_published',
      '--json',
    ]);
    const delivery = JSON.parse(deliveries);
    assert.equal((await json(['webhooks', 'resend', webhook.id, delivery.id])).trigger, 'resend');
    const since = new Date(Date.now() - 60_000).toISOString();
    const replay = await line.run(['webhooks', 'replay', webhook.id, '--since', since, '--statuses', 'all']);
    assert.match(replay.stdout, /^1 event is sent again: rpl_/);
    const rotated = await line.run(['webhooks', 'rotate-secret', webhook.id, '--grace-seconds', '0']);
    assert.match(rotated.stdout, /^whsec_/);
    assert.equal((await json(['webhooks', 'update', webhook.id, '--status', 'paused'])).status, 'paused');
    assert.equal((await line.run(['webhooks', 'delete', webhook.id])).code, 2);
    assert.equal((await line.run(['webhooks', 'delete', webhook.id, '--yes'])).stdout, `${webhook.id} deleted.\n`);
    assert.equal((await line.run(['webhooks', 'get', webhook.id])).code, 4);
    assert.equal((await line.run(['webhooks', 'get', 'whk_1'])).code, 2);
  });

  it('exits with 1 if a test fails', async () => {
    const { id } = await line.client.webhooks.create({ url: 'http://127.0.0.1:1024/', events: ['*'] });
    const { code, stdout } = await line.run(['webhooks', 'test', id]);
    assert.equal(code, 1);
    assert.match(stdout, /^connection_failed after \d+ ms\.\nThe connection could not be established\.\n$/);
  });

  it('forwards events to this machine, signed, with the bytes that webhooks get', async () => {
    const receiver = await eventReceiver();
    const webhookReceiver = await eventReceiver();
    await line.client.webhooks.create({ url: webhookReceiver.url, events: ['*'] });
    const secret = 'whsec_RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBMRUVYQU0=';
    const env = { ...process.env, ...line.settings, VOICE_AGENTS_WEBHOOK_SECRET: secret };
    const child = spawn(process.execPath, [command, 'listen', '--forward', receiver.url], { env });
    try {
      const ready = await new Promise<string>((resolve) => createInterface(child.stderr).once('line', resolve));
      assert.match(ready, /^Forwarding events to http:\/\/127\.0\.0\.1/);
      await publish('Forwarded');
      const request = await eventually(() => receiver.requests[0], 'an event');
      const event = await verifyWebhook(request.body, request.headers, secret);
      assert.equal(event.type, 'agent_published');
      const sent = await eventually(
        () => webhookReceiver.requests.find(({ headers }) => headers['webhook-id'] === event.id),
        'the same from the service',
      );
      assert.equal(request.body, sent.body);
      const own = ({ headers }: typeof request) =>
        Object.entries(headers).filter(([name]) => /^(content-type|user-agent|webhook-id)$/.test(name));
      assert.deepEqual(own(request).toSorted(), own(sent).toSorted());
      assert.match(String(request.headers.traceparent), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    } finally {
      child.kill('SIGINT');
    }
    const [code] = await new Promise<[number | null]>((resolve) => child.once('close', (given) => resolve([given])));
    assert.equal(code, 0);
  });

  it('forwards what happens after it has started, in order, and nothing from before', async () => {
    const receiver = await eventReceiver();
    await publish('Before');
    const env = { ...process.env, ...line.settings };
    const child = spawn(process.execPath, [command, 'listen', '--forward', receiver.url], { env });
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const made: string[] = [];
    try {
      await eventually(() => stderr.includes('Forwarding events to'), 'the start');
      for (const name of ['First', 'Second', 'Third']) made.push(await publish(name));
      await eventually(() => receiver.requests.length === made.length, 'all of them');
    } finally {
      child.kill('SIGINT');
    }
    assert.equal(await closed, 0);
    const agents = receiver.requests.map(({ body }) => JSON.parse(body).data.agentId);
    assert.deepEqual(agents, made);
    assert.doesNotMatch(stderr, /--cursor/, 'it has no such option');
  });

  it('refuses a secret that cannot sign, before it forwards anything', async () => {
    const settings = { VOICE_AGENTS_WEBHOOK_SECRET: 'my secret' };
    for (const name of [['listen'], ['webhooks', 'listen']]) {
      const { code, stderr } = await line.run([...name, '--forward', 'http://127.0.0.1:1024/'], { settings });
      assert.equal(code, 2);
      assert.match(stderr, /VOICE_AGENTS_WEBHOOK_SECRET must be whsec_ and base64/);
      assert.doesNotMatch(stderr, /my secret/);
    }
  });

  it('prints events as they happen, and continues with the cursor that it printed', async () => {
    const tail = (args: readonly string[]) => {
      const child = spawn(process.execPath, [command, 'events', 'tail', '--json', ...args], {
        env: { ...process.env, ...line.settings },
      });
      const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
      const output = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].on('data', (chunk) => {
          output[name] += chunk;
        });
      }
      const ids = () =>
        output.stdout.split('\n').flatMap((text) => (text.endsWith('}') ? [JSON.parse(text).subject.id] : []));
      return { child, closed, output, ids };
    };
    const since = new Date().toISOString();
    const [first, second] = [await publish('One'), await publish('Two')];
    const one = tail(['--type', 'agent_published', '--since', since]);
    await eventually(() => one.ids().length === 2, 'both');
    // It has the cursor once it waits for the next event.
    const third = await publish('Three');
    await eventually(() => one.ids().length === 3, 'the third');
    await publish('Four');
    await eventually(() => one.ids().length === 4, 'the fourth');
    one.child.kill('SIGINT');
    assert.equal(await one.closed, 0);
    assert.deepEqual(one.ids().slice(0, 3), [first, second, third]);
    const cursor = /Continue with --cursor (\S+)/.exec(one.output.stderr)?.[1] ?? '';
    const fifth = await publish('Five');
    const two = tail(['--cursor', cursor]);
    await eventually(() => two.ids().includes(fifth), 'the rest');
    two.child.kill('SIGINT');
    assert.equal(await two.closed, 0);
    assert.ok(!two.ids().includes(third), 'what was printed on earlier pages does not come again');
  });
});
