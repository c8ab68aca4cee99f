import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { VoiceAgents } from '../../sdk/src/index.ts';
import { createMcpServer } from '../../src/mcp/server.ts';
import { FaultProxy } from '../sdk/support/fault-proxy.ts';
import { useStartedService } from '../sdk/support/started-service.ts';
import { freePort } from '../support/free-port.ts';
import { runCommand } from '../support/process.ts';
import { newWorkspaceName } from '../support/service.ts';
import { callsOf, connectMcp, connectMcpProcess } from './support/mcp-client.ts';
import { McpProcess } from './support/mcp-process.ts';

const draft = { name: 'Reception', voiceId: 'ja-JP-Nanami' };

describe('voice-agents mcp and the service', () => {
  const service = useStartedService();

  it('starts while the service is unreachable, reports it, and works once it is back', async (context) => {
    const port = await freePort();
    const key = await service.newKey({ scopes: ['agents:read'] });
    const baseUrl = `http://127.0.0.1:${port}`;
    const mcp = await connectMcp(context, { key, baseUrl, args: ['--write'] });
    assert.match(mcp.client.getInstructions() ?? '', /could not be reached to check the scopes of the API key/);
    assert.ok((await mcp.toolNames()).includes('create_agent'), 'the scopes of the key are not known yet');
    const away = await mcp.refusal('create_agent', draft);
    assert.match(away, /cannot be reached: [\s\S]*ECONNREFUSED[\s\S]*It may or may not have been processed/);
    assert.ok(away.includes(baseUrl));
    assert.doesNotMatch(await mcp.refusal('list_agents'), /carried out/);
    const proxy = new FaultProxy(service);
    context.after(() => proxy.close());
    const changed = new Promise<void>((resolve) => {
      mcp.client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
    });
    await proxy.start(port);
    assert.deepEqual(await mcp.get('list_agents'), { agents: [], nextCursor: null });
    await changed;
    assert.ok(!(await mcp.toolNames()).includes('create_agent'));
  });

  it('reports a key that is revoked while it runs, and one that was never valid', async (context) => {
    const workspace = newWorkspaceName();
    const key = await service.newKey({ workspace });
    const mcp = await connectMcp(context, { key, baseUrl: service.url });
    const { keyId } = await mcp.get('whoami');
    const admin = new VoiceAgents({ apiKey: await service.newKey({ workspace }), baseUrl: service.url });
    await admin.apiKeys.revoke(keyId);
    // It is cached for half a second.
    let text = '';
    for (let tries = 0; tries < 200 && text === ''; tries += 1) {
      const { isError } = await mcp.call('list_agents');
      if (isError === true) text = await mcp.refusal('list_agents');
    }
    assert.match(
      text,
      /401 UNAUTHORIZED, request req_\w+\)\nThe API key of this MCP server is invalid, revoked or expired/,
    );
    const wrong = await connectMcp(context, { key: 'vak_wrong', baseUrl: service.url });
    assert.ok((await wrong.toolNames()).includes('list_agents'));
    assert.match(await wrong.refusal('whoami'), /401 UNAUTHORIZED/);
    assert.equal(wrong.log(), '');
  });

  it('creates an agent once although responses are lost, and says when to retry', async (context) => {
    const proxy = new FaultProxy(service);
    context.after(() => proxy.close());
    const settings = { key: await service.newKey(), baseUrl: await proxy.start(), args: ['--write'] };
    const mcp = await connectMcp(context, settings);
    proxy.next('drop before the answer', 'drop before the answer');
    const { agent } = await mcp.get('create_agent', draft);
    const { agents } = await mcp.get('list_agents');
    assert.deepEqual(
      agents.map(({ id }: { id: string }) => id),
      [agent.id],
    );
    proxy.retryAfter = '90';
    proxy.next('unseen 429');
    assert.match(await mcp.refusal('list_agents'), /429 RATE_LIMITED, request req_proxy\)\nTry again in 90 seconds/);
    proxy.next('unseen 503');
    assert.match(await mcp.refusal('list_agents'), /503 SERVICE_UNAVAILABLE[\s\S]*Try again in 90 seconds/);
  });

  it('aborts the request to the service when the call is cancelled', async (context) => {
    const me = { workspaceId: 'ws_1', workspaceName: 'x', keyId: 'key_1', keyName: null, scopes: ['agents:read'] };
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const silent = createServer((request, response) => {
      if (request.url === '/api/v1/whoami') {
        response.setHeader('content-type', 'application/json').setHeader('x-request-id', 'req_1');
        response.end(JSON.stringify(me));
      } else {
        silent.emit('asked');
        response.on('close', resolve);
      }
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    context.after(() => silent.closeAllConnections());
    context.after(() => silent.close());
    const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const mcp = await connectMcp(context, { key: 'vak_any', baseUrl });
    const asked = once(silent, 'asked');
    const abort = new AbortController();
    const call = mcp.client.callTool({ name: 'list_agents', arguments: {} }, { signal: abort.signal });
    await asked;
    const start = performance.now();
    abort.abort('enough');
    await assert.rejects(call);
    await closed;
    assert.ok(performance.now() - start < 10_000, 'an attempt times out after 15 seconds');
    assert.equal(mcp.log(), '');
    assert.deepEqual(await mcp.get('whoami'), me);
  });

  it('reports a timeout before the client gives up', async (context) => {
    const proxy = new FaultProxy(service);
    context.after(() => proxy.close());
    const baseUrl = await proxy.start();
    const client = new VoiceAgents({ apiKey: await service.newKey(), baseUrl });
    const options = { client, baseUrl, version: '1', flags: ['--write'] as const, log: assert.fail, deadlineMs: 300 };
    const [here, there] = InMemoryTransport.createLinkedPair();
    await (await createMcpServer(options)).connect(there as never);
    const mcp = new Client({ name: 'test', version: '1' });
    context.after(() => mcp.close());
    await mcp.connect(here);
    proxy.decide = () => 'silence';
    const text = await callsOf(mcp).refusal('create_agent', draft);
    assert.match(text, /did not complete the request within 0\.3 seconds\.\nIt may or may not have been processed/);
  });

  it('hides its own internal errors from the model', async (context) => {
    const logged: string[] = [];
    const client = {
      whoami: () => Promise.reject(new Error('not now')),
      get agents(): never {
        throw new TypeError('broken with vak_secret in it');
      },
    } as unknown as VoiceAgents;
    const options = {
      client,
      baseUrl: 'x',
      version: '1',
      flags: ['--write'] as const,
      log: (text: string) => logged.push(text),
    };
    const [here, there] = InMemoryTransport.createLinkedPair();
    await (await createMcpServer(options)).connect(there as never);
    const mcp = new Client({ name: 'test', version: '1' });
    context.after(() => mcp.close());
    await mcp.connect(here);
    assert.doesNotMatch(await callsOf(mcp).refusal('list_agents'), /TypeError|broken/);
    assert.match(logged.join(), /^TypeError: broken with vak_… in it\n\s+at /);
  });

  it('supports the newest revision of the protocol as well', async (context) => {
    const mcp = await connectMcpProcess(context, {
      key: await service.newKey(),
      baseUrl: service.url,
      client: { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    });
    assert.match(mcp.client.getInstructions() ?? '', /This server is read-only/);
    assert.equal((await mcp.toolNames()).length, 21);
    assert.deepEqual(await mcp.get('list_agents'), { agents: [], nextCursor: null });
  });
});

describe('voice-agents mcp as a process', () => {
  const service = useStartedService();

  it('writes only messages to standard output, and ignores invalid input', async (context) => {
    const mcp = new McpProcess(context, await service.newKey(), service.url, ['--write']);
    mcp.write(
      'hello\n\n{"jsonrpc":"2.0"\n[1]\n{"jsonrpc":"1.0","id":3}\n{"jsonrpc":"2.0","id":9,"method":"ping","vak_hidden":"hello"}\n\xff\xfe\n',
    );
    mcp.initialize();
    mcp.write('{"broken\n');
    mcp.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'create_agent', arguments: { ...draft, name: '日本語' } },
    });
    mcp.send({ id: 2, method: 'tools/call', params: { name: 'create_agent', arguments: { name: 'vak_secret' } } });
    mcp.send({ id: 3, method: 'tools/call', params: { name: 'nothing' } });
    mcp.send({ id: 4, method: 'nothing/here' });
    mcp.send({ id: 5, method: 'tools/list' });
    for (const id of [0, 1, 2, 3, 4, 5]) await mcp.answer(id);
    mcp.child.stdin?.end();
    assert.equal(await mcp.ended(), 0);
    assert.equal(mcp.lines.length, 6);
    for (const line of mcp.lines) assert.equal(JSON.parse(line).jsonrpc, '2.0', line);
    assert.ok(mcp.lines.some((line) => line.includes('日本語')));
    assert.doesNotMatch(mcp.stderr, /hello|broken|vak_/);
  });

  /** A server during a call that the service does not answer. */
  const underWay = async (context: TestContext): Promise<McpProcess> => {
    const proxy = new FaultProxy(service);
    context.after(() => proxy.close());
    const mcp = new McpProcess(context, await service.newKey(), await proxy.start());
    mcp.initialize();
    await mcp.answer(0);
    const asked = new Promise<void>((resolve) => {
      proxy.decide = () => {
        resolve();
        return 'silence';
      };
    });
    mcp.send({ id: 1, method: 'tools/call', params: { name: 'list_agents' } });
    await asked;
    return mcp;
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`exits on ${signal}, even during a call`, async (context) => {
      const mcp = await underWay(context);
      mcp.child.kill(signal);
      assert.equal(await mcp.ended(), 0);
      assert.equal(mcp.stderr, '');
    });
  }

  it('exits when standard input ends, even during a call', async (context) => {
    const mcp = await underWay(context);
    mcp.child.stdin?.end();
    assert.equal(await mcp.ended(), 0);
  });

  it('does not start without a key, and reports it on standard error', async () => {
    const { code, stdout, stderr } = await runCommand(['mcp'], { VOICE_AGENTS_PROFILES: '/nowhere/profiles.json' });
    assert.equal(code, 3);
    assert.equal(stdout, '');
    assert.match(stderr, /no API key/);
  });
});
