import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { VoiceAgents } from '../../sdk/src/index.ts';
import { useStartedService } from '../sdk/support/started-service.ts';
import { newWorkspaceName } from '../support/service.ts';
import { connectMcp, type Ending, type McpConnection } from './support/mcp-client.ts';

const draft = { name: '予約受付', voiceId: 'ja-JP-Nanami', responseEngineType: 'single_prompt', prompt: '髪を切る' };
const reads = [
  'list_agents',
  'search_agents',
  'get_agent',
  'get_agent_part',
  'list_agent_versions',
  'compare_agent_versions',
  'check_agent',
  'simulate_agent',
  'whoami',
  'read_transcript',
  'list_webhook_deliveries',
  'list_phone_numbers',
  'get_phone_number',
  'list_knowledge_bases',
  'search_knowledge_base',
  'query_analytics',
  'list_workflows',
  'get_workflow',
  'list_workflow_runs',
  'get_workflow_run',
  'test_workflow',
];
const writes = [
  'create_agent',
  'update_agent',
  'duplicate_agent',
  'publish_agent',
  'restore_agent_version',
  'start_chat',
  'send_chat_message',
  'end_chat',
];
const calls = ['place_call', 'hang_up'];

describe('the tools of voice-agents mcp', () => {
  const service = useStartedService();
  const connect = async (context: Ending, settings: { args?: string[]; key?: string } = {}) =>
    connectMcp(context, { key: await service.newKey(), baseUrl: service.url, ...settings });

  it('include tools that read, and those that write only with --write', async (context) => {
    const reader = await connect(context);
    assert.deepEqual(await reader.toolNames(), reads);
    assert.match(reader.client.getInstructions() ?? '', /This server is read-only/);
    assert.match(await reader.refusal('create_agent', draft), /read-only: it was started without --write/);
    const writer = await connect(context, { args: ['--write'] });
    assert.deepEqual(await writer.toolNames(), [...reads, ...writes]);
    assert.equal(writer.log(), '');
  });

  it('call phones only with --allow-calls, whatever else is allowed', async (context) => {
    const key = await service.newKey();
    const client = new VoiceAgents({ apiKey: key, baseUrl: service.url });
    const writer = await connect(context, { key, args: ['--write'] });
    const agent = await client.agents.create({ name: 'Echo', voiceId: 'slt', language: 'en', llmModel: 'test-echo' });
    await client.agents.publish(agent.id);
    const carrier = await client.carriers.create({ name: 'Test', provider: 'test' });
    const { id } = await client.phoneNumbers.import({
      carrierId: carrier.id,
      number: '+99910000001',
      outbound: { enabled: true },
    });
    await client.phoneNumbers.waitUntilChecked(id);
    const given = { agentId: agent.id, fromPhoneNumberId: id, to: '+99900000011' };
    assert.match(await writer.refusal('place_call', given), /started without --allow-calls/);
    assert.equal((await client.calls.list()).items.length, 0);

    const caller = await connect(context, { key, args: ['--allow-calls'] });
    assert.deepEqual(await caller.toolNames(), [...reads, ...calls]);
    assert.match(caller.client.getInstructions() ?? '', /ask the user before each call/);
    const { phoneNumbers } = await caller.get('list_phone_numbers');
    assert.deepEqual(
      phoneNumbers.map(({ number, canCallOut }: Record<string, unknown>) => [number, canCallOut]),
      [['+99910000001', true]],
    );
    const { phoneNumber } = await caller.get('get_phone_number', { phoneNumberId: id });
    assert.equal(phoneNumber.status, 'active');
    assert.match(await caller.refusal('place_call', { ...given, to: '+81312345678' }), /to: must be a test number/);
    const { callId, to } = await caller.get('place_call', given);
    assert.equal(to, '+99900000011');
    const ended = await caller.get('hang_up', { callId });
    assert.ok(['not_connected', 'ended'].includes(ended.status), ended.status);
  });

  it('search knowledge bases', async (context) => {
    const key = await service.newKey();
    const client = new VoiceAgents({ apiKey: key, baseUrl: service.url });
    const base = await client.knowledgeBases.create({ name: 'Shop', language: 'en' });
    const made = await client.documents.create(base.id, { name: 'Returns', text: '# Books\n\nReturns are free.' });
    await client.documents.waitUntilSettled(base.id, made.id);
    const reader = await connect(context, { key });
    const { knowledgeBases } = await reader.get('list_knowledge_bases');
    assert.equal(knowledgeBases[0].knowledgeBaseId, base.id);
    const found = await reader.get('search_knowledge_base', { knowledgeBaseId: base.id, query: 'returns' });
    assert.equal(found.mode, 'lexical');
    const [{ document, section, text }] = found.results;
    assert.deepEqual([document, section, text], ['Returns', 'Books', 'Returns are free.']);
  });

  it('compute figures, and say what is wrong with a query', async (context) => {
    const key = await service.newKey();
    const client = new VoiceAgents({ apiKey: key, baseUrl: service.url });
    const agent = await client.agents.create({ name: 'Reception', voiceId: 'v', llmModel: 'test-echo' });
    const { version } = await client.agents.publish(agent.id);
    const call = await client.calls.create({ type: 'chat', agentId: agent.id, agentVersion: version });
    await client.calls.messages.create(call.id, { text: 'hello' });
    await client.calls.end(call.id);
    const reader = await connect(context, { key });
    const asked = { range: { last: '1d' }, timeZone: 'Asia/Tokyo', compare: 'week', groupBy: ['agentId'] };
    const { rows, calls } = await reader.get('query_analytics', { ...asked, metrics: ['calls', 'connectRate'] });
    const values = { calls: 1, connectRate: 1 };
    assert.deepEqual([calls, rows.length], [1, 1]);
    assert.deepEqual([rows[0].group, rows[0].values], [{ agentId: agent.id }, values]);
    assert.match(
      await reader.refusal('query_analytics', { ...asked, metrics: ['happiness'] }),
      /metrics.*is not a metric/,
    );
  });

  it('explain workflows and their runs, and send nothing', async (context) => {
    const key = await service.newKey();
    const client = new VoiceAgents({ apiKey: key, baseUrl: service.url });
    const agent = await client.agents.create({ name: 'Desk', voiceId: 'v', llmModel: 'test-echo' });
    await client.agents.publish(agent.id);
    const call = await client.calls.create({ type: 'chat', agentId: agent.id });
    await client.calls.messages.create(call.id, { text: 'hello' });
    await client.calls.end(call.id);
    const trigger = { event: 'call_ended' as const, filter: { field: 'metadata.paid', op: 'exists', value: true } };
    const crm = { id: 'crm', type: 'http_request' as const, url: 'https://crm.example.com/' };
    const long = { ...crm, id: 'long', body: { text: 'x'.repeat(60_000) } };
    const { id } = await client.workflows.create({ name: 'CRM', trigger, steps: [crm, long] });
    const reader = await connect(context, { key });
    const { workflows } = await reader.get('list_workflows');
    assert.deepEqual([workflows[0].workflowId, workflows[0].steps], [id, ['crm', 'long']]);
    assert.equal((await reader.get('get_workflow', { workflowId: id })).shortened, true);

    const tested = await reader.get('test_workflow', {
      workflowId: id,
      callId: call.id,
      mocks: { crm: { error: 'timeout' } },
    });
    assert.deepEqual([tested.matched, tested.end, tested.shortened], [false, 'failed', undefined]);
    assert.deepEqual(tested.filter.at(-1).result, false);
    const short = await reader.get('test_workflow', { definition: { trigger, steps: [long] }, callId: call.id });
    assert.match(short.steps[0].rendered.body, /… \[truncated, 60011 characters\]$/);
    const refusal = await reader.refusal('test_workflow', { definition: { trigger, steps: [] }, callId: call.id });
    assert.match(refusal, /definition/);

    const wait = await client.workflows.create({
      name: 'Wait',
      trigger,
      steps: [{ id: 'day', type: 'wait', seconds: 60 }],
    });
    const run = await client.workflows.runs.create(wait.id, { callId: call.id });
    await client.workflows.runs.cancel(run.id);
    const { runs } = await reader.get('list_workflow_runs', { callId: call.id });
    assert.deepEqual([runs[0].runId, runs[0].status, runs[0].reason], [run.id, 'canceled', 'by_user']);
    const read = await reader.get('get_workflow_run', { runId: run.id });
    assert.deepEqual(
      read.run.steps.map(({ id }: { id: string }) => id),
      ['day'],
    );
  });

  it('do not include those that the key has no scope for, and say so', async (context) => {
    const workspace = newWorkspaceName();
    const key = await service.newKey({ workspace, scopes: ['agents:read'] });
    const reader = await connect(context, { key, args: ['--write'] });
    assert.deepEqual(
      await reader.toolNames(),
      reads.filter((name) => !/simulate|transcript|webhook|phone|knowledge|analytics|workflow/.test(name)),
    );
    const instructions = reader.client.getInstructions() ?? '';
    assert.match(
      instructions,
      /does not have calls:write, calls:read, webhooks:read, phone-numbers:read, knowledge:read, analytics:read, workflows:read, workflows:write, agents:write, so these tools are not offered: simulate_agent, read_transcript, list_webhook_deliveries, list_phone_numbers, get_phone_number, list_knowledge_bases, search_knowledge_base, query_analytics, list_workflows, get_workflow, list_workflow_runs, get_workflow_run, test_workflow, create_agent/,
    );
    assert.ok(instructions.includes(JSON.stringify(workspace)));
    assert.match(
      await reader.refusal('create_agent', draft),
      /requires the scope agents:write, which the API key does not have/,
    );
    const stranger = await connect(context, { key: await service.newKey({ scopes: ['audit:read'] }) });
    assert.deepEqual(await stranger.toolNames(), ['whoami']);
  });

  describe('with --write', () => {
    let mcp: McpConnection;
    // One server for all tests: each creates its own agents.
    before(async () => {
      mcp = await connect({ after: () => {} }, { args: ['--write'] });
    });
    after(() => mcp.client.close());

    it('accept ids under their earlier name', async () => {
      const { agent } = await mcp.get('create_agent', { name: 'Reception', voiceId: 'v' });
      const { agent: read } = await mcp.get('get_agent', { id: agent.id });
      assert.equal(read.id, agent.id);
      assert.match(await mcp.refusal('get_agent', { id: agent.id, agentId: agent.id }), /- id: is not an argument/);
      assert.match(await mcp.refusal('get_agent', {}), /- agentId: is required/);
    });

    it('show whose key it is', async () => {
      const me = await mcp.get('whoami');
      assert.match(me.workspaceId, /^ws_/);
      assert.ok(me.scopes.includes('agents:write'));
    });

    it('create, read, change and publish an agent, each with the latest etag', async () => {
      const made = await mcp.get('create_agent', draft);
      assert.deepEqual(Object.keys(made.agent), [
        'id',
        'name',
        'language',
        'voiceId',
        'version',
        'isPublished',
        'updatedAt',
      ]);
      const { id } = made.agent;
      const read = await mcp.get('get_agent', { agentId: id });
      assert.equal(read.agent.responseEngine.prompt, '髪を切る');
      assert.equal(read.etag, made.etag);
      assert.equal('cut' in read, false);
      const changes = { responseEngine: { prompt: '予約を承ってください。' }, voiceSpeed: 1.5 };
      const changed = await mcp.get('update_agent', { agentId: id, ifMatch: read.etag, changes });
      assert.notEqual(changed.etag, read.etag);
      const late = await mcp.refusal('update_agent', { agentId: id, ifMatch: read.etag, changes: { name: 'late' } });
      assert.match(late, /409 VERSION_CONFLICT, request req_\w+\)\nRead the agent again with get_agent/);
      assert.ok(!late.includes(changed.etag), 'a tag that was not read would overwrite an unseen change');
      const published = await mcp.get('publish_agent', {
        agentId: id,
        ifMatch: changed.etag,
        versionDescription: '初版',
      });
      assert.equal(published.agent.isPublished, true);
      const { agent } = await mcp.get('get_agent', { agentId: id, version: 'published' });
      assert.deepEqual(
        [agent.responseEngine.prompt, agent.voiceSpeed, agent.versionDescription],
        ['予約を承ってください。', 1.5, '初版'],
      );
    });

    it('simulates an agent, with the transcript as lines', async () => {
      const { agent } = await mcp.get('create_agent', { name: 'Echo', voiceId: 'x', llmModel: 'test-echo' });
      const steps = ['say "Two tables, please."', 'expect agent says /tables/', 'expect agent says /Goodbye/'];
      const given = { agentId: agent.id, agentVersion: 'latest', script: { steps }, runs: 2, seed: 7 };
      const { runs, passed, failures, transcript } = await mcp.get('simulate_agent', given);
      assert.deepEqual([runs, passed, failures.length], [2, 0, 2]);
      assert.deepEqual([failures[0].seed, failures[0].step, failures[0].expected], [7, 2, 'agent says /Goodbye/']);
      assert.match(transcript[0], /^\d+\.\d s caller: Two tables, please\.$/);
      assert.match(transcript[1], /^\d+\.\d s agent: Two tables, please\.$/);
      const bad = await mcp.refusal('simulate_agent', { ...given, script: { steps: ['sing'] } });
      assert.match(bad, /400 VALIDATION_ERROR[\s\S]*- script: steps\.0: is not a step/);
    });

    it('list, compare, restore and copy', async () => {
      const made = await mcp.get('create_agent', { ...draft, name: 'Versions' });
      const { id } = made.agent;
      const first = await mcp.get('publish_agent', { agentId: id, ifMatch: made.etag });
      const second = await mcp.get('update_agent', { agentId: id, ifMatch: first.etag, changes: { name: '二版' } });
      assert.equal(second.agent.version, 2);
      const list = await mcp.get('list_agent_versions', { agentId: id });
      assert.deepEqual(
        list.versions.map(({ version, isPublished }: Record<string, unknown>) => [version, isPublished]),
        [
          [2, false],
          [1, true],
        ],
      );
      const difference = await mcp.get('compare_agent_versions', { agentId: id, from: 'published' });
      assert.deepEqual([difference.from, difference.to], [1, 2]);
      const renamed = difference.changes.find(({ path }: { path: string }) => path === '/name');
      assert.deepEqual(renamed, { op: 'replace', path: '/name', from: 'Versions', value: '二版' });
      const back = await mcp.get('restore_agent_version', { agentId: id, version: '1', ifMatch: second.etag });
      assert.deepEqual([back.agent.name, back.agent.version], ['Versions', 2]);
      const copy = await mcp.get('duplicate_agent', { agentId: id, name: '写し' });
      assert.notEqual(copy.agent.id, id);
      assert.equal(copy.agent.name, '写し');
      assert.equal((await mcp.get('get_agent', { agentId: id, version: 1 })).agent.version, 1);
    });

    it('page through lists and searches, without the documents', async () => {
      for (const name of ['ページ一', 'ページ二', 'ページ三']) await mcp.get('create_agent', { ...draft, name });
      const names: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await mcp.get('search_agents', { q: 'ﾍﾟｰｼﾞ', limit: 2, ...(cursor ? { cursor } : {}) });
        names.push(...page.agents.map(({ name }: { name: string }) => name));
        assert.ok(!JSON.stringify(page).includes('髪を切る'));
        cursor = page.nextCursor;
      }
      assert.deepEqual(names, ['ページ三', 'ページ二', 'ページ一']);
      const first = await mcp.get('list_agents', { limit: 1 });
      const next = await mcp.get('list_agents', { limit: 1, cursor: first.nextCursor });
      assert.deepEqual([first.agents[0].name, next.agents[0].name], ['ページ三', 'ページ二']);
    });

    it('name every rejected field, with the code and the request id', async () => {
      const text = await mcp.refusal('create_agent', { voiceId: '', adaptiveSpeechRate: { enabled: 1 } });
      assert.match(text, /\(400 VALIDATION_ERROR, request req_\w+\)/);
      for (const fault of ['- name: is required', '- voiceId: must not be empty', '- adaptiveSpeechRate: ']) {
        assert.ok(text.includes(fault), text);
      }
    });

    it('reject misspelled fields instead of ignoring them', async () => {
      const { agent, etag } = await mcp.get('create_agent', draft);
      const nested = await mcp.refusal('update_agent', {
        agentId: agent.id,
        ifMatch: etag,
        changes: { vioceSpeed: 2 },
      });
      assert.match(nested, /400 VALIDATION_ERROR[\s\S]*vioceSpeed/);
      assert.match(
        await mcp.refusal('search_agents', { query: 'x' }),
        /q: is required[\s\S]*query: is not an argument/,
      );
      assert.match(await mcp.refusal('search_agents'), /q: is required/);
      assert.match(
        await mcp.refusal('create_agent', { ...draft, voise: 'x' }),
        /voise: is not an argument of create_agent/,
      );
      assert.match(await mcp.refusal('get_agent'), /agentId: is required/);
      assert.match(await mcp.refusal('get_agent', { agentId: 7 }), /agentId: /);
      assert.match(await mcp.refusal('update_agent', { agentId: agent.id, changes: {} }), /ifMatch: is required/);
      assert.match(await mcp.refusal('update_agent', { agentId: agent.id, ifMatch: etag }), /changes: is required/);
      assert.match(await mcp.refusal('list_agents', { limit: 'many' }), /400 VALIDATION_ERROR[\s\S]*- limit: /);
      assert.match(await mcp.refusal('compare_agent_versions', { agentId: agent.id, from: 'x' }), /- from: /);
      await assert.rejects(mcp.call('delete_agent', { agentId: agent.id }), /Unknown tool/);
    });

    it('list what a draft lacks when it is published, and before', async () => {
      const made = await mcp.get('create_agent', { ...draft, responseEngineType: 'custom_llm' });
      assert.deepEqual(await mcp.get('check_agent', { agentId: made.agent.id }), {
        publishable: false,
        errors: [{ field: 'responseEngine', path: 'llmWebsocketUrl', message: 'is required for type custom_llm' }],
        warnings: [],
      });
      const text = await mcp.refusal('publish_agent', { agentId: made.agent.id, ifMatch: made.etag });
      assert.match(text, /422 UNPROCESSABLE_CONTENT[\s\S]*llmWebsocketUrl/);
    });

    it('treat an agent of another workspace like an unknown one', async () => {
      const other = await (await service.newClient()).agents.create({ name: 'foreign', voiceId: 'v' });
      const unknown = `${other.id.slice(0, -4)}0000`;
      const texts = [];
      for (const id of [other.id, unknown, 'nonsense', '../whoami']) {
        const text = await mcp.refusal('get_agent', { agentId: id });
        texts.push(text.replace(/req_\w+/, ''));
      }
      assert.match(texts[0] ?? '', /404 NOT_FOUND/);
      assert.equal(new Set(texts).size, 1, texts.join('\n'));
      const ifMatch = '"x"';
      for (const [name, rest] of Object.entries({
        update_agent: { ifMatch, changes: { name: 'mine' } },
        publish_agent: { ifMatch },
        restore_agent_version: { ifMatch, version: '1' },
        duplicate_agent: {},
        list_agent_versions: {},
        compare_agent_versions: { from: '1' },
        get_agent_part: { path: '/name' },
      })) {
        assert.match(await mcp.refusal(name, { agentId: other.id, ...rest }), /404 NOT_FOUND/, name);
      }
      assert.equal((await mcp.get('search_agents', { q: other.id })).agents.length, 0);
    });

    it('truncate long texts with a marker, read them in parts, and never write them back', async () => {
      const prompt = `${'長い文。'.repeat(20_000)}😀`;
      const words = Array.from({ length: 1000 }, (_, index) => `${'語'.repeat(100)}${index}`);
      const made = await mcp.get('create_agent', { ...draft, prompt, boostedKeywords: words });
      const { id } = made.agent;
      const { agent, cut, etag } = await mcp.get('get_agent', { agentId: id });
      assert.ok(Buffer.byteLength(JSON.stringify(agent)) <= 60_000);
      assert.deepEqual(
        cut.map(({ path }: { path: string }) => path),
        ['/responseEngine/prompt', '/boostedKeywords'],
      );
      assert.equal('boostedKeywords' in agent, false, 'part of a list would be taken for all of it');
      assert.match(
        agent.responseEngine.prompt,
        /^長い文。[\s\S]*\[truncated by voice-agents mcp: 12000 of 80002 characters\]$/,
      );
      let whole = '';
      for (let offset: number | null = 0; offset !== null; ) {
        const part = await mcp.get('get_agent_part', { agentId: id, path: '/responseEngine/prompt', offset });
        whole += part.text;
        offset = part.nextOffset;
      }
      assert.equal(whole, prompt);
      const changes = { responseEngine: { prompt: agent.responseEngine.prompt } };
      assert.match(
        await mcp.refusal('update_agent', { agentId: id, ifMatch: etag, changes }),
        /contains truncated text/,
      );
      assert.match(
        await mcp.refusal('get_agent_part', { agentId: id, path: '/nothing' }),
        /does not exist in this agent/,
      );
    });

    it('truncate diffs in the same way', async () => {
      const made = await mcp.get('create_agent', { ...draft, prompt: 'a'.repeat(60_000) });
      const { id } = made.agent;
      const { etag } = await mcp.get('publish_agent', { agentId: id, ifMatch: made.etag });
      const responseEngine = { prompt: 'b'.repeat(60_000) };
      const agentSettings = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`setting${index}`, index]));
      await mcp.get('update_agent', { agentId: id, ifMatch: etag, changes: { responseEngine, agentSettings } });
      const difference = await mcp.get('compare_agent_versions', { agentId: id, from: '1', to: '2' });
      assert.ok(Buffer.byteLength(JSON.stringify(difference)) < 65_000);
      const paths = difference.cut.map(({ path }: { path: string }) => path);
      assert.ok(paths.includes('/responseEngine/prompt'), paths.join());
    });
  });
});
