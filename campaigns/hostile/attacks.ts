import type { Random } from '../random.ts';
import { audioStart, clientFrame, flood, joinPage, pause, silentConnection } from './pages.ts';
import { type HostileServers, llmPaths, nested, toolPaths } from './servers.ts';
import type { HostileTenant } from './tenant.ts';

export interface Scene {
  readonly tenant: HostileTenant;
  readonly servers: HostileServers;
  readonly random: Random;
  readonly found: (what: string) => void;
}

type Attack = (scene: Scene) => Promise<void>;

const settings = ['everything', 'everything_except_pii', 'basic_attributes_only'] as const;
/** A busy machine delays an end that the service has decided on. */
const endMs = 5000;

const flowAgent = (skills: readonly object[], fields: object = {}) => ({
  ...fields,
  agentSettings: { flow: { skills } },
});
const end = { id: 'bye', type: 'end', text: 'Bye.' };
const times = (text: string, count: number) => text.repeat(count);

/** Variables of variables: each step multiplies the length. */
const multiplied = (count: number) => {
  const many = Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, times('{{b}}', 400)]));
  return [
    { id: 'a', type: 'set', variables: { a: 'x'.repeat(1000) }, next: 'b' },
    { id: 'b', type: 'set', variables: { b: times('{{a}}', 400) }, next: 'c' },
    { id: 'c', type: 'set', variables: many, next: 'hear' },
    { id: 'hear', type: 'ask', text: '{{v1}}{{v2}}', variable: 'd', as: 'text', next: 'bye', otherwise: 'bye' },
    end,
  ];
};

const hostilePatterns = [
  '/予約(を.*たい)?/',
  '/a(.*a.*a.*x)?/',
  '/(a|b|ab)*c/',
  '/(.*)(.*)(.*)(.*)x/',
  '/(a?){50}a{50}/',
  '/.*.*.*=.*/',
  '/([a-z]+)+[0-9]/',
];
const hostileTexts = ['予約', 'a', 'ab', 'aA1 ', '{{', '１２３', '😀', '\u3042'].map((part) =>
  part.repeat(10_000 / part.length),
);

const attacks: Readonly<Record<string, Attack>> = {
  'variables that multiply': async ({ tenant, random }) => {
    const agentId = await tenant.newAgent(flowAgent(multiplied(random.pick([1, 50, 100])), { beginMessage: '' }));
    const call = await tenant.newCall(agentId, { dataStorageSetting: random.pick(settings) });
    if (call === null) return;
    await tenant.say(call, 'Hello');
    await tenant.say(call, '{{v3}}');
    await tenant.finish(call, { isRemoved: random.chance(0.5) });
  },

  'variables that multiply, simulated': async ({ tenant, random }) => {
    const agentId = await tenant.newAgent(flowAgent(multiplied(random.pick([1, 50, 100]))));
    const script = { steps: ['say "Hello"', 'hang up'] };
    await tenant.send('POST', '/api/v1/simulations', {
      agentId,
      agentVersion: 'latest',
      script,
      runs: random.pick([1, 1000]),
    });
  },

  'long texts, many times': async ({ tenant, random }) => {
    const says = Array.from({ length: 48 }, (_, index) => ({
      id: `s${index}`,
      type: 'say',
      text: times('{{v}}', 300),
      next: index === 47 ? 'hear' : `s${index + 1}`,
    }));
    const hear = { id: 'hear', type: 'ask', text: '{{v}}', variable: 'd', as: 'text', next: 's0', otherwise: 'bye' };
    const agentId = await tenant.newAgent(flowAgent([...says, hear, end], { beginMessage: times('{{v}}', 2000) }));
    const call = await tenant.newCall(agentId, { variables: { v: 'Long. '.repeat(2600) } });
    if (call === null) return;
    for (const text of ['', 'again', 'and again']) await tenant.say(call, text);
    await tenant.finish(call, { isRemoved: random.chance(0.5) });
  },

  'phrases that take long': async ({ tenant, random }) => {
    const skill = {
      id: 'topic',
      type: 'choose',
      text: 'What?',
      routes: hostilePatterns.map((pattern) => ({
        when: [pattern, ...hostilePatterns.map((other) => `${other.slice(0, -1)}?/`)],
        next: 'bye',
      })),
      otherwise: 'bye',
    };
    const ask = {
      id: 'ask',
      type: 'ask',
      text: '?',
      variable: 'd',
      as: random.pick(['date', 'number', 'phone', 'email', 'time']),
      next: 'topic',
      otherwise: 'topic',
    };
    const agentId = await tenant.newAgent(flowAgent([ask, skill, end]));
    const call = await tenant.newCall(agentId);
    if (call === null) return;
    for (let count = 0; count < 4; count += 1) await tenant.say(call, random.pick(hostileTexts));
    await tenant.finish(call, { isRemoved: false });
  },

  'tools that return anything': async ({ tenant, servers, random }) => {
    const tool = {
      name: 'x',
      description: 'x',
      parameters: { type: 'object' },
      url: `${servers.url}/tool/${random.pick(toolPaths)}`,
      timeoutMs: 3000,
    };
    const skills = [
      { id: 'x', type: 'tool', tool: 'x', arguments: { a: times('{{long}}', 300) }, next: 'hear', otherwise: 'hear' },
      { id: 'hear', type: 'ask', text: '{{v}}{{v1}}', variable: 'd', as: 'text', next: 'x', otherwise: 'bye' },
      end,
    ];
    const agentId = await tenant.newAgent({ agentSettings: { flow: { skills }, tools: [tool] } });
    const variables = { long: 'Long. '.repeat(2600) };
    const call = await tenant.newCall(agentId, { dataStorageSetting: random.pick(settings), variables });
    if (call === null) return;
    await tenant.say(call, '');
    await tenant.say(call, 'again');
    await tenant.finish(call, { isRemoved: random.chance(0.7) });
  },

  'a model that replies anything': async ({ tenant, random }) => {
    const agentId = await tenant.newAgent({ responseEngineType: 'single_prompt', prompt: 'x', llmModel: 'hostile' });
    const call = await tenant.newCall(agentId, { dataStorageSetting: random.pick(settings) });
    if (call === null) return;
    await tenant.say(call, 'Hello');
    await tenant.finish(call, { isRemoved: random.chance(0.5) });
  },

  'a custom LLM that sends anything': async ({ tenant, servers, random }) => {
    const llmWebsocketUrl = `${servers.llmUrl}/llm/${random.pick(llmPaths)}`;
    const agentId = await tenant.newAgent({ responseEngine: { type: 'custom_llm', llmWebsocketUrl } });
    const call = await tenant.newCall(agentId, { dataStorageSetting: random.pick(settings) });
    if (call === null) return;
    await tenant.say(call, 'Hello');
    await tenant.finish(call, { isRemoved: random.chance(0.5) });
  },

  'receivers that take 14 seconds': async ({ tenant, servers }) => {
    const agentId = await tenant.newAgent({
      llmModel: 'test-echo',
      webhookUrl: `${servers.url}/receiver/${performance.now()}`,
    });
    await tenant.send('POST', `/api/v1/agents/${agentId}/publish`, {});
    for (let count = 0; count < 5; count += 1) {
      const call = await tenant.newCall(agentId);
      if (call !== null) await tenant.finish(call, { isRemoved: false });
    }
  },

  'a page that floods': async ({ tenant, random, found }) => {
    const agentId = await tenant.newAgent({ llmModel: 'test-echo', sttProvider: 'test', ttsProvider: 'test' });
    const call = await tenant.newCall(agentId, { type: 'web' });
    if (call === null) return;
    const page = await joinPage(tenant.port, call, audioStart);
    if (page !== null) {
      const frame = random.pick([
        clientFrame(1, Buffer.from('{"type":"dtmf","digits":"1"}')),
        clientFrame(1, Buffer.from(`{"type":"tool_result","toolCallId":"a","result":${nested(20_000)}}`)),
        clientFrame(2, Buffer.alloc(60_000)),
        clientFrame(9, Buffer.alloc(100)),
        clientFrame(10, Buffer.alloc(100)),
      ]);
      const { closedAfterMs } = await flood(page, Buffer.concat(Array(20).fill(frame)), 3 * endMs);
      if (closedAfterMs === null || closedAfterMs > 2 * endMs) found('a page that floods stays connected');
    }
    await tenant.finish(call, { isRemoved: false });
  },

  'a page that writes more than it may': async ({ tenant, found }) => {
    const agentId = await tenant.newAgent({ llmModel: 'test-echo' });
    const call = await tenant.newCall(agentId);
    if (call === null) return;
    const page = await joinPage(tenant.port, call, { type: 'start' });
    if (page !== null) {
      let replies = 0;
      page.on('message', (data, isBinary) => {
        const frame = isBinary ? {} : JSON.parse(data.toString());
        if (frame.type === 'transcript' && frame.role === 'agent' && frame.isFinal) replies += 1;
      });
      for (let count = 0; count < 400 && page.readyState === 1; count += 1) {
        page.send(JSON.stringify({ type: 'text', text: `${count}` }));
        await pause(10);
      }
      page.terminate();
      if (replies > 130) found(`a page got ${replies} replies within seconds (120 per minute)`);
    }
    await tenant.finish(call, { isRemoved: false });
  },

  'a page whose key is revoked': async ({ tenant, found }) => {
    const made = await tenant.json('POST', '/api/v1/api-keys', { scopes: ['calls:write', 'agents:write'] });
    const agentId = await tenant.newAgent({ llmModel: 'test-echo' });
    if (made.status !== 201 || agentId === null) return;
    const body = { type: 'chat', agentId, agentVersion: 'latest' };
    const created = await tenant.send('POST', '/api/v1/calls', body, made.json.key as string);
    if (created.status !== 201) return;
    const call = JSON.parse(created.body.toString());
    const page = await joinPage(tenant.port, call, { type: 'start' });
    await tenant.send('POST', `/api/v1/api-keys/${made.json.id}/revoke`, {});
    if (page !== null) {
      const isClosed = await Promise.race([
        new Promise<boolean>((resolve) => page.on('close', () => resolve(true))),
        pause(endMs).then(() => page.readyState > 1),
      ]);
      if (!isClosed) found('a page stays connected although its key is revoked');
      page.terminate();
    }
    await tenant.finish(call, { isRemoved: true });
  },

  'connections that say nothing': async ({ tenant, random, found }) => {
    const bytes = random.pick([
      '',
      '',
      'GET /healthz HT',
      'POST /api/v1/agents HTTP/1.1\r\nContent-Length: 10\r\n\r\n{',
    ]);
    const received = await Promise.all(Array.from({ length: 20 }, () => silentConnection(tenant.port, bytes, 45_000)));
    if (received.includes(null)) found('a connection that says nothing stays open for 45 s');
    if (bytes === '' && received.some((text) => text !== null && text !== '')) {
      found('a connection that has sent nothing gets a response');
    }
  },

  'wrong sign-in codes': async ({ tenant }) => {
    for (let count = 0; count < 30; count += 1) await tenant.send('POST', '/sign-in', { code: `wrong-${count}` });
  },
};

export const attackNames = Object.keys(attacks);

export function attack(name: string, scene: Scene): Promise<void> {
  return (attacks[name] as Attack)(scene);
}
