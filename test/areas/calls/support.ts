import assert from 'node:assert/strict';
import { after, before, type TestContext } from 'node:test';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import type { Call as CallResource } from '../../../src/contract/calls/call.ts';
import type { CallEvent } from '../../../src/contract/calls/call-events.ts';
import type { Turn } from '../../../src/contract/calls/turn.ts';
import { createOpenAiLlm } from '../../../src/voice/providers/openai/llm.ts';
import { type OpenAiDouble, startOpenAiDouble } from '../../providers/openai-double.ts';
import { CallTime } from '../../support/call-time.ts';
import { type Answer, type Call, createAgent, send } from '../../support/client.ts';
import type { Engine } from '../../support/engines.ts';
import { type Service, startService } from '../../support/service.ts';

export { eventually } from '../../support/eventually.ts';

type Target = Pick<Service, 'url'>;

/** A clock that tests move. It starts now, because tokens and keys compare their times with it. */
export class TestClock {
  #offsetMs = 0;
  #heldAt: number | null = null;
  readonly now = (): number => (this.#heldAt ?? Date.now()) + this.#offsetMs;

  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  /** Until the end of the test, only `advance` moves it: for what happens shortly before a limit. */
  hold(context: TestContext): void {
    this.#heldAt = Date.now();
    context.after(() => {
      this.#heldAt = null;
    });
  }
}

/** Calls that are due are found soon, without keeping a processor busy. */
export const quickSweep = { sweepMs: 50 } as const;

/** Twenty times as fast as real time: for timeouts of replies. */
export function quickTime(): CallTime {
  return new CallTime({ speed: 20 });
}

export const script = 'Good morning.\nWhich day?\nGoodbye.\n[end]';

/** An agent whose replies are known. A model double gets the requests for them and no others. */
export function testAgent(service: Target, key: string, model = 'test-echo', fields: object = {}): Promise<Agent> {
  const analysis = model.startsWith('test-') ? {} : { postCallAnalysisModel: 'test-extract' };
  const engine = { responseEngineType: 'single_prompt', prompt: script, llmModel: model, ...analysis };
  return createAgent(service, key, { ...engine, language: 'en', beginMessage: '', ...fields });
}

export interface ChatOptions {
  readonly model?: string;
  /** More fields of the agent. */
  readonly agent?: object;
  /** More fields of the call. */
  readonly call?: object;
}

/** A chat with an agent of its own. */
export async function newChat(
  service: Target,
  key: string,
  { model, agent: fields, call = {} }: ChatOptions = {},
): Promise<CallResource & { access: NonNullable<CallResource['access']> }> {
  const { id: agentId } = await testAgent(service, key, model, fields);
  const answer = await create(service, key, { agentId, ...call });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

export function create(service: Target, key: string, body: object, headers = {}): Promise<Answer> {
  return send(service, 'POST', '/api/v1/calls', {
    key,
    body: { type: 'chat', agentVersion: 'latest', ...body },
    headers,
  });
}

/** A chat with an agent that is there. */
export async function chatWith(service: Target, key: string, body: object) {
  const answer = await create(service, key, body);
  assert.equal(answer.status, 201, answer.text);
  return on(service, key, answer.json.id);
}

/** The codes of the warnings among the events of a call. */
export function warningsIn(events: readonly CallEvent[]): string[] {
  return events.flatMap(({ type, data }) => (type === 'warning' && 'code' in data ? [data.code] : []));
}

/** A request about a call. */
export function on(service: Target, key: string, id: string) {
  const path = `/api/v1/calls/${id}`;
  const post = (part: string, body?: unknown, headers: Call['headers'] = {}): Promise<Answer> =>
    send(service, 'POST', `${path}/${part}`, { key, headers, ...(body !== undefined && { body }) });
  return {
    id,
    path,
    get: (headers = {}): Promise<Answer> => send(service, 'GET', path, { key, headers }),
    call: async (): Promise<CallResource> => (await send(service, 'GET', path, { key })).json,
    patch: (body: unknown, headers = {}): Promise<Answer> => send(service, 'PATCH', path, { key, body, headers }),
    delete: (headers = {}): Promise<Answer> => send(service, 'DELETE', path, { key, headers }),
    say: (text?: string, headers = {}): Promise<Answer> =>
      post('messages', text === undefined ? {} : { text }, headers),
    control: (body: unknown, headers = {}): Promise<Answer> => post('control', body, headers),
    end: (headers = {}): Promise<Answer> => post('end', undefined, headers),
    redact: (to: string, headers = {}): Promise<Answer> => post('redact', { to }, headers),
    token: (body?: unknown, headers = {}): Promise<Answer> => post('tokens', body, headers),
    skill: async (): Promise<string | null> => (await send(service, 'GET', `${path}/skill`, { key })).json.skillId,
    transcript: (): Promise<Answer> => send(service, 'GET', `${path}/transcript`, { key }),
    recording: (): Promise<Answer> => send(service, 'GET', `${path}/recording`, { key }),
    eventPage: (query = '', headers = {}): Promise<Answer> =>
      send(service, 'GET', `${path}/events${query}`, { key, headers }),
    events: async (): Promise<CallEvent[]> =>
      (await send(service, 'GET', `${path}/events?limit=200`, { key })).json.items,
    turns: async (): Promise<Turn[]> => (await send(service, 'GET', `${path}/transcript`, { key })).json.turns,
  };
}

/** What was said, in short. */
export function said(turns: readonly Turn[]): [string, string][] {
  return turns.map(({ role, text }) => [role, text]);
}

export interface StreamEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the fields they read.
  readonly data: any;
}

export function parseStream(text: string): StreamEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [event = '', data = ''] = block.split('\n');
      assert.match(event, /^event: /);
      return { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
    });
}

/** A message whose reply is streamed. */
export async function stream(
  { url }: Target,
  key: string,
  id: string,
  text?: string,
  headers = {},
): Promise<{ status: number; headers: Headers; events: StreamEvent[]; text: string }> {
  const response = await fetch(`${url}/api/v1/calls/${id}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...headers,
    },
    body: JSON.stringify(text === undefined ? {} : { text }),
  });
  const body = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  return { status: response.status, headers: response.headers, text: body, events: isStream ? parseStream(body) : [] };
}

export interface ModelDouble extends OpenAiDouble {
  readonly llm: ReturnType<typeof createOpenAiLlm>;
}

const stops = new Set<() => Promise<void>>();
after(async () => {
  for (const stop of stops) await stop();
});

/** A language model that plays what it is told, until the tests of the file are over. */
export async function modelDouble(): Promise<ModelDouble> {
  const double = await startOpenAiDouble();
  const llm = createOpenAiLlm({ apiKey: null, baseUrl: double.baseUrl, modelMap: new Map([['mapped', 'qwen3']]) });
  stops.add(async () => {
    await llm.close();
    await double.close();
  });
  return { ...double, llm };
}

/** A service for a whole suite that is connected to such a model. */
export function useModelService(
  engine: Engine,
  { calls = {}, ...options }: Parameters<typeof startService>[1] = {},
): { readonly service: Service; readonly model: ModelDouble } {
  const service = {} as Service;
  const model = {} as ModelDouble;
  before(async () => {
    Object.assign(model, await modelDouble());
    Object.assign(service, await startService(engine, { ...options, calls: { ...calls, llm: model.llm } }));
  });
  after(() => service.close());
  return { service, model };
}

/** A promise that a test resolves. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
