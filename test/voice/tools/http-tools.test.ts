import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import type { ToolSetting } from '../../../src/contract/agents/settings/tools.ts';
import { createGuard } from '../../../src/net/guard.ts';
import { AllowedNetworks } from '../../../src/net/networks.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { defineTool } from '../../../src/voice/tools/definition.ts';
import { createHttpTools, type HttpTools, type HttpToolsOptions } from '../../../src/voice/tools/http-tools.ts';
import type { ToolResult } from '../../../src/voice/tools/tool.ts';
import { httpReceiver, rawReceiver } from '../../support/receiver.ts';

const guard = createGuard({ allowedNetworks: new AllowedNetworks(['127.0.0.0/8']) });
const call = { name: 'book', arguments: { day: '2026-12-24' } };
const secret = 'swordfish-1234';

function toolsWith(setting: Partial<ToolSetting>, options: Partial<HttpToolsOptions> = {}): HttpTools {
  const parameters = { type: 'object' };
  return createHttpTools({
    tools: [defineTool({ name: 'book', description: 'Books.', parameters, ...setting })],
    guard,
    call: { id: 'call_1', agentId: 'agt_1', agentVersion: 3 },
    variables: () => ({ shop: '銀座店' }),
    sign: async (id, body) => ({ 'webhook-timestamp': '1', 'webhook-signature': `v1,${id}.${body.length}` }),
    secrets: async () => new Map([['SHOP_TOKEN', { value: secret, hosts: ['127.0.0.1'] }]]),
    ...options,
  });
}

function run(tools: HttpTools, name = 'book'): Promise<ToolResult> {
  return new Promise((resolve) => tools.run('tcl_1', { ...call, name }, resolve));
}

/** The result of a tool whose server does this. */
async function resultOf(listener: RequestListener, setting: Partial<ToolSetting> = {}): Promise<ToolResult> {
  const { port } = await httpReceiver(listener);
  return run(toolsWith({ url: `http://127.0.0.1:${port}/book`, ...setting }));
}

const message = (result: ToolResult) => (result.isError ? `${result.code}: ${result.message}` : 'no error');

describe('a tool over HTTP', () => {
  it('gets the call, the arguments and the variables, signed, under its own id', async () => {
    let seen: { method?: string | undefined; headers: IncomingHttpHeaders; body: string } | undefined;
    const result = await resultOf(
      async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        seen = { method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() };
        response.end('{"ok":true}');
      },
      { method: 'PUT', headers: { 'X-Shop': 'a', Authorization: 'Bearer {{secrets.SHOP_TOKEN}}' } },
    );
    assert.deepEqual(result, { isError: false, result: { ok: true } });
    assert.deepEqual(JSON.parse(seen?.body ?? ''), {
      callId: 'call_1',
      agentId: 'agt_1',
      agentVersion: 3,
      toolCallId: 'tcl_1',
      name: 'book',
      arguments: { day: '2026-12-24' },
      variables: { shop: '銀座店' },
    });
    const { headers, method, body = '' } = seen ?? {};
    assert.equal(method, 'PUT');
    assert.deepEqual(
      ['content-type', 'idempotency-key', 'webhook-id', 'webhook-signature', 'x-shop', 'authorization'].map(
        (name) => headers?.[name],
      ),
      ['application/json', 'tcl_1', 'tcl_1', `v1,tcl_1.${body.length}`, 'a', `Bearer ${secret}`],
    );
  });

  it('returns JSON as a value, other text as it is, and nothing as null', async () => {
    for (const [body, result] of [
      ['{"variables":{"table":7}}', { variables: { table: 7 } }],
      ['予約しました。', '予約しました。'],
      ['', null],
    ] as const) {
      assert.deepEqual(await resultOf((_request, response) => response.end(body)), { isError: false, result });
    }
  });

  it('fails with the status alone', async () => {
    for (const status of [302, 400, 404, 500]) {
      const result = await resultOf((request, response) => {
        response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(`no: ${request.headers.authorization}`);
      });
      assert.equal(message(result), `failed: the server of the tool replied with HTTP ${status}`);
    }
  });

  it('takes up to 32 KiB, uncompressed', async () => {
    const most = 'x'.repeat(32 * 1024);
    assert.deepEqual(await resultOf((_request, response) => response.end(most)), { isError: false, result: most });
    const longer = await resultOf((_request, response) => response.end(`${most}x`));
    assert.equal(message(longer), 'failed: the response of the tool is longer than 32 KiB');
    const packed = await resultOf((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    });
    assert.equal(message(packed), 'failed: the response of the tool is compressed');
  });

  it('sends a secret to its own hosts only, and never reports it', async () => {
    const headers = { Authorization: 'Bearer {{secrets.SHOP_TOKEN}}' };
    const { port, connections } = await httpReceiver((request, response) => {
      response.end(JSON.stringify({ echo: request.headers.authorization }));
    });
    const url = `http://127.0.0.1:${port}/`;
    assert.deepEqual(await run(toolsWith({ url, headers })), { isError: false, result: { echo: 'Bearer [SECRET]' } });
    const reached = connections();
    const elsewhere = new Map([['SHOP_TOKEN', { value: secret, hosts: ['shop.example'] }]]);
    const bad = new Map([['SHOP_TOKEN', { value: `${secret}\r\nx: y`, hosts: ['127.0.0.1'] }]]);
    const failing = async (): Promise<never> => {
      throw new Error(secret);
    };
    const cases: [Partial<HttpToolsOptions>, string][] = [
      [{ secrets: async () => elsewhere }, 'failed: the secret SHOP_TOKEN must not be sent to this host'],
      [{ secrets: async () => new Map() }, 'failed: the secret SHOP_TOKEN does not exist'],
      [{ secrets: async () => bad }, 'failed: the tool could not be called'],
      [{ secrets: failing }, 'failed: the tool could not be called'],
      [{ sign: failing }, 'failed: the tool could not be called'],
    ];
    for (const [options, expected] of cases) {
      assert.equal(message(await run(toolsWith({ url, headers }, options))), expected);
    }
    const repeated = { 'X-Key': '{{secrets.SHOP_TOKEN}}'.repeat(2000) };
    const tooLong = 'failed: the headers are longer than 16 KiB with their secrets';
    assert.equal(message(await run(toolsWith({ url, headers: repeated }))), tooLong);
    assert.equal(connections(), reached);
  });

  describe('whose server repeats a secret', () => {
    const value = 'a/"b\\c&d é+1';
    const hex = (digits: (code: string) => string) =>
      Array.from(value, (_, index) => `\\u${digits(value.charCodeAt(index).toString(16).padStart(4, '0'))}`).join('');
    const json = JSON.stringify(value).slice(1, -1);
    const html = value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('/', '&#x2F;');
    const bodies: readonly [name: string, body: string, expected: unknown][] = [
      ['in a string', JSON.stringify({ echo: `Bearer ${value}!` }), { echo: 'Bearer [SECRET]!' }],
      ['in a name', JSON.stringify({ [value]: 1 }), { '[SECRET]': 1 }],
      ['with escaped slashes', `["${json.replaceAll('/', '\\/')}"]`, ['[SECRET]']],
      ['as code units', `["${hex((code) => code)}", "${hex((code) => code.toUpperCase())}"]`, ['[SECRET]', '[SECRET]']],
      ['in JSON in a string', JSON.stringify({ raw: `{"a":"${json}"}` }), { raw: '{"a":"[SECRET]"}' }],
      ['in a URL', JSON.stringify([`/?k=${encodeURIComponent(value)}&x=1`]), ['/?k=[SECRET]&x=1']],
      ['in HTML', JSON.stringify([`<b>${html}</b>`]), ['<b>[SECRET]</b>']],
      ['in a text', `you sent ${value}, or "${json}"`, 'you sent [SECRET], or "[SECRET]"'],
      ['in a URL in a text', `${encodeURIComponent(value).toLowerCase()} ok`, '[SECRET] ok'],
      ['in broken JSON', `{"a":"${hex((code) => code)}`, '{"a":"[SECRET]'],
    ];
    for (const [name, body, expected] of bodies) {
      it(`never reports it: ${name}`, async () => {
        const { port } = await httpReceiver((_request, response) => response.end(body));
        const headers = { 'X-Token': '{{secrets.SHOP_TOKEN}}' };
        const secrets = async () => new Map([['SHOP_TOKEN', { value, hosts: ['127.0.0.1'] }]]);
        const result = await run(toolsWith({ url: `http://127.0.0.1:${port}/`, headers }, { secrets }));
        assert.deepEqual(result, { isError: false, result: expected });
      });
    }

    it('never reports it: as a number, or as a part of a longer secret', async () => {
      const { port } = await httpReceiver((_request, response) => response.end('{"pin":1234567812345678}'));
      const headers = { 'X-Token': '{{secrets.SHORT}} {{secrets.LONG}}' };
      const hosts = ['127.0.0.1'];
      const both = new Map([
        ['SHORT', { value: '12345678', hosts }],
        ['LONG', { value: '1234567812345678', hosts }],
      ]);
      const tools = toolsWith({ url: `http://127.0.0.1:${port}/`, headers }, { secrets: async () => both });
      assert.deepEqual(await run(tools), { isError: false, result: '{"pin":[SECRET]}' });
    });
  });

  it('fails if its response is nested too deep', async () => {
    for (const levels of [65, 16_000]) {
      const body = '['.repeat(levels) + ']'.repeat(levels);
      const result = await resultOf((_request, response) => response.end(body));
      assert.equal(message(result), 'failed: the response of the tool is nested deeper than 64 levels');
    }
  });

  it('is not called at an address that the guard refuses', async () => {
    const result = await run(toolsWith({ url: 'https://169.254.169.254/latest' }));
    assert.equal(message(result), 'failed: the server of the tool could not be reached (address_not_allowed)');
  });

  it('is not available if the page runs it, or if there is none of this name', async () => {
    const result = 'not_available: this tool is not available in this call';
    assert.equal(message(await run(toolsWith({ where: 'client' }))), result);
    assert.equal(message(await run(toolsWith({ url: 'https://example.com/' }), 'cook')), result);
  });

  it('reports a timeout exactly once, also while its secrets are read', async () => {
    const { port } = await rawReceiver(() => {});
    const never = () => new Promise<never>(() => {});
    for (const options of [{}, { secrets: never }, { sign: never }]) {
      const clock = new VirtualClock();
      const headers = { 'X-Key': '{{secrets.SHOP_TOKEN}}' };
      const tools = toolsWith({ url: `http://127.0.0.1:${port}/`, timeoutMs: 3000, headers }, { clock, ...options });
      const results: string[] = [];
      tools.run('tcl_1', call, (result) => results.push(message(result)));
      clock.advance(2999);
      assert.deepEqual(results, []);
      clock.advance(1);
      tools.close();
      assert.deepEqual(results, ['timeout: the tool did not respond in time']);
    }
  });

  it('is canceled when the call ends', async () => {
    let isOpen = (): void => {};
    const opened = new Promise<void>((resolve) => {
      isOpen = resolve;
    });
    const { port, isIdle } = await rawReceiver((socket) => socket.once('data', () => isOpen()));
    const tools = toolsWith({ url: `http://127.0.0.1:${port}/` });
    const result = run(tools);
    await opened;
    tools.close();
    assert.equal(message(await result), 'failed: the call has ended');
    await isIdle();
    assert.equal(message(await run(tools)), 'failed: the call has ended');
  });
});
