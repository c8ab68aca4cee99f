import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { useService } from '../../support/service.ts';

interface Seen extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  readonly text: string;
}

const parameters = {
  type: 'object',
  properties: { number: { type: 'string' }, language: { type: 'string' } },
  required: ['number'],
};

onEachEngine('a test of a tool', (engine) => {
  const service = useService(engine);

  const receiver = async (status: number, body: string, headers: Record<string, string> = {}) => {
    const seen: Seen[] = [];
    const { port } = await httpReceiver(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method, url, headers: received } = request;
      seen.push({ method, url, headers: received, text: Buffer.concat(chunks).toString() });
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
    return { seen, origin: `http://127.0.0.1:${port}` };
  };
  const agentWith = async (...tools: object[]) => {
    const { key } = await service.newKey();
    const defaults = { name: 'find_order', description: 'Finds an order.', method: 'GET', parameters };
    const agentSettings = { tools: tools.map((tool) => ({ ...defaults, ...tool })) };
    const { id } = await createAgent(service, key, { agentSettings });
    const test = (body: unknown = { arguments: { number: 'A 1' } }, name = 'find_order', headers = {}) =>
      send(service, 'POST', `/api/v1/agents/${id}/tools/${name}/test`, { key, body, headers });
    return { key, id, test };
  };
  const get = async (key: string, path: string) => (await send(service, 'GET', `/api/v1/${path}`, { key })).json;
  const putSecret = (key: string, value = 's3cret-value') =>
    send(service, 'PUT', '/api/v1/secrets/SHOP', { key, body: { value, hosts: ['127.0.0.1'] } });

  it('sends what a call would send, and shows it without secrets, with the response and what a model would see', async () => {
    const { seen, origin } = await receiver(200, '{"status":"shipped","echo":"Bearer s3cret-value"}');
    const headers = { Authorization: 'Bearer {{secrets.SHOP}}' };
    const { key, id, test } = await agentWith({ url: `${origin}/orders/{number}`, headers });
    await putSecret(key);
    const { status, json, text } = await test({ arguments: { number: 'A 1', language: 'ja' } });
    assert.equal(status, 200, text);
    const { toolCallId, request, response, durationMs, ...rest } = json;
    assert.match(toolCallId, /^tcl_[0-9a-z]{30}$/);
    assert.ok(durationMs >= 0);
    const shown = '{"status":"shipped","echo":"Bearer [SECRET]"}';
    assert.deepEqual(rest, { outcome: 'succeeded', isError: false, modelText: shown });
    assert.deepEqual(response, {
      statusCode: 200,
      contentType: 'application/json',
      body: shown,
      isTruncated: false,
    });
    const url = '/orders/A%201?language=ja';
    assert.deepEqual([request.method, request.url, request.body], ['GET', origin + url, null]);
    assert.equal(request.headers.authorization, 'Bearer {{secrets.SHOP}}');
    assert.doesNotMatch(text, /s3cret-value/);
    const [sent] = seen as [Seen];
    assert.deepEqual([sent.method, sent.url, sent.text], ['GET', url, '']);
    assert.equal(sent.headers.authorization, 'Bearer s3cret-value');
    assert.equal(sent.headers['content-type'], undefined);
    assert.equal(sent.headers['idempotency-key'], toolCallId);
    const [webhook] = (await get(key, `webhooks?agentId=${id}`)).items;
    const { secret } = await get(key, `webhooks/${webhook.id}/secret`);
    new Webhook(secret).verify('', sent.headers as Record<string, string>);
  });

  it('stores nothing but the entry in the audit trail', async () => {
    const { origin } = await receiver(200, '{"status":"shipped"}');
    const { key, id, test } = await agentWith({ url: `${origin}/orders/{number}` });
    await test();
    const { items } = await get(key, `audit-log?resourceId=${id}`);
    assert.deepEqual(
      items.map(({ routeId }: { routeId: string }) => routeId),
      ['agents.tools.test', 'agents.create'],
    );
    assert.doesNotMatch(JSON.stringify(items), /A 1|shipped/);
    assert.deepEqual((await get(key, 'calls')).items, []);
    assert.deepEqual((await get(key, 'events')).items, []);
  });

  it('has the body of a call with POST', async () => {
    const { seen, origin } = await receiver(200, 'Booked.');
    const { id, test } = await agentWith({ url: `${origin}/{number}`, method: undefined });
    const { json } = await test();
    assert.deepEqual([json.modelText, json.response.body], ['Booked.', 'Booked.']);
    const [sent] = seen as [Seen];
    assert.deepEqual([sent.method, sent.url], ['POST', '/A%201']);
    assert.equal(json.request.body, sent.text);
    assert.deepEqual(JSON.parse(sent.text), {
      callId: 'call_test',
      agentId: id,
      agentVersion: 1,
      toolCallId: json.toolCallId,
      name: 'find_order',
      arguments: { number: 'A 1' },
      variables: {},
    });
  });

  it('succeeds although the tool fails, and says how', async () => {
    const cases: [number, string, Record<string, string>, string, string][] = [
      [404, 'no such order', {}, 'http_error', 'Error: failed: the server of the tool replied with HTTP 404'],
      [302, '', { location: '/' }, 'redirect', 'Error: failed: the server of the tool replied with HTTP 302'],
      [
        200,
        'x',
        { 'content-encoding': 'gzip' },
        'response_not_usable',
        'Error: failed: the response of the tool is compressed',
      ],
      [
        200,
        'x'.repeat(33_000),
        {},
        'response_not_usable',
        'Error: failed: the response of the tool is longer than 32 KiB',
      ],
    ];
    for (const [code, body, headers, outcome, modelText] of cases) {
      const { origin } = await receiver(code, body, headers);
      const { test } = await agentWith({ url: `${origin}/{number}` });
      const { status, json } = await test();
      assert.deepEqual([status, json.outcome, json.isError, json.modelText], [200, outcome, true, modelText]);
      assert.deepEqual([json.response.statusCode, json.response.isTruncated], [code, body.length > 32_768]);
    }
    const { test } = await agentWith({ url: 'http://127.0.0.1:1024/{number}' });
    const { status, json } = await test();
    assert.deepEqual([status, json.outcome, json.response], [200, 'connection_failed', null]);
    assert.equal(json.request.url, 'http://127.0.0.1:1024/A%201');
    assert.match(json.modelText, /^Error: failed: the server of the tool could not be reached/);
    const header = { url: 'http://127.0.0.1:1024/{number}', headers: { 'X-Key': '{{secrets.SHOP}}'.repeat(5) } };
    const long = await agentWith(header);
    await putSecret(long.key, 'x'.repeat(4096));
    const { json: unsent } = await long.test();
    assert.deepEqual([unsent.outcome, unsent.isError, unsent.request, unsent.response], ['not_sent', true, null, null]);
    assert.equal(unsent.modelText, 'Error: failed: the headers are longer than 16 KiB with their secrets');
  });

  it('is refused if the agent could not be published because of this tool, and of no other', async () => {
    const { origin } = await receiver(200, '{}');
    const good = { url: `${origin}/{number}` };
    const messages = async (tool: object, body?: unknown) => {
      const { status, json } = await (await agentWith(tool)).test(body);
      assert.equal(status, 422);
      return json.error.details;
    };
    const settings = async (tool: object) => (await messages(tool)).fieldErrors.agentSettings;
    assert.deepEqual(await settings({ url: 'http://{number}.example.com/' }), [
      'tools.0.url: must start with https:// (http:// is only for this machine and networks that the operator allows)',
      'tools.0.url: must not contain {name} in its scheme, host or port',
    ]);
    assert.deepEqual(await settings({ url: 'https://10.0.0.1/{number}' }), [
      'tools.0.url: must not be an address in a local, private or reserved network',
    ]);
    assert.deepEqual(await settings({ ...good, headers: { 'X-Key': '{{secrets.NONE}}' } }), [
      'tools.0.headers.X-Key: uses the secret NONE, which does not exist',
    ]);
    assert.deepEqual(await messages(good, { arguments: { number: 1 } }), {
      fieldErrors: { arguments: ['number: has the type "number", expected "string"'] },
    });
    assert.deepEqual((await messages(good, { arguments: { number: '..' } })).fieldErrors.arguments, [
      'number: must not make a part of the path . or ..',
    ]);
    const client = { where: 'client', method: undefined };
    assert.deepEqual((await messages(client)).formErrors, ['the tool runs in the page of a web call']);
    const { test, key } = await agentWith(good, { name: 'broken', url: 'https://10.0.0.1/' });
    assert.equal((await test()).status, 200);
    assert.equal((await test({}, 'broken')).status, 422);
    for (const name of ['unknown', 'FIND_ORDER', '0', '__proto__']) {
      assert.equal((await test(undefined, name)).status, 404, name);
    }
    const foreign = await agentWith(good);
    const path = `/api/v1/agents/${foreign.id}/tools/find_order/test`;
    const answer = await send(service, 'POST', path, { key, body: { arguments: { number: 'A' } } });
    assert.deepEqual([answer.status, answer.json.error.message], [404, 'No such agent in this workspace.']);
  });

  it('calls the tool once for an Idempotency-Key, and up to twenty times a minute for an API key', async () => {
    const { seen, origin } = await receiver(200, '{}');
    const { test } = await agentWith({ url: `${origin}/{number}` });
    const headers = { 'idempotency-key': 'one' };
    const [first, again] = [await test(undefined, undefined, headers), await test(undefined, undefined, headers)];
    assert.deepEqual(again.json, first.json);
    assert.equal(seen.length, 1);
    for (let count = 3; count <= 20; count += 1) assert.equal((await test()).status, 200);
    const { status, headers: told } = await test();
    assert.equal(status, 429);
    assert.match(told.get('ratelimit-policy') ?? '', /"tool-tests";q=20;w=60/);
    assert.equal(seen.length, 19);
  });
});
