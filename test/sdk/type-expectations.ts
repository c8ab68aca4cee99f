/** Not run: `npm run check` compiles it, and fails if a line compiles that must not, or the other way round. */
import {
  type Agent,
  type AgentSettings,
  type ApiPromise,
  type CallEvent,
  type CallEventTypes,
  type CallQuery,
  type CallReply,
  type ErrorCode,
  type ListCallsQuery,
  type Page,
  type PagePromise,
  type Turn,
  ValidationError,
  VoiceAgents,
} from '../../sdk/src/index.ts';
import type { ErrorCode as ServiceCode } from '../../src/contract/errors.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectSame<A, B>(_isSame: Same<A, B>): void {}

export async function expectations(client: VoiceAgents, caught: unknown, unknownCode: string): Promise<void> {
  expectSame<ReturnType<typeof client.agents.get>, ApiPromise<Agent>>(true);
  expectSame<ReturnType<typeof client.agents.list>, PagePromise<Agent>>(true);
  const list = client.agents.list({ limit: 2, q: undefined });
  expectSame<Awaited<typeof list>, Page<Agent>>(true);
  for await (const agent of list) expectSame<typeof agent, Agent>(true);
  const { data, response } = await client.agents.get('x').withResponse();
  expectSame<
    typeof data.voiceEmotion,
    'calm' | 'sympathetic' | 'happy' | 'sad' | 'angry' | 'fearful' | 'surprised' | null
  >(true);
  expectSame<typeof data.startSkillId, string | undefined>(true);
  expectSame<typeof data.agentSettings, AgentSettings | undefined>(true);

  await client.agents.update(data.id, { startSkillId: null, voiceSpeed: 1 }, { ifMatch: response.etag });
  // @ts-expect-error Optional fields cannot be null in a create.
  await client.agents.create({ name: 'a', voiceId: 'v', startSkillId: null });
  // @ts-expect-error The voice is required.
  await client.agents.create({ name: 'a' });
  // @ts-expect-error No such mode.
  await client.agents.create({ name: 'a', voiceId: 'v', sttMode: 'slow' });
  // @ts-expect-error The short names of create are rejected in an update.
  await client.agents.update('x', { prompt: 'p' });
  const settings: AgentSettings = {
    tools: [{ name: 'book', description: 'Books.', parameters: { type: 'object' }, url: 'https://a.example' }],
    calls: { recordingEnabled: true },
    flow: { skills: [{ id: 'a', type: 'ask', text: 'When?', variable: 't', as: 'time', next: 'b', otherwise: 'b' }] },
    own: { anything: [1] },
  };
  await client.agents.create({ name: 'a', voiceId: 'v', agentSettings: settings });
  await client.agents.update('x', { agentSettings: { llm: { temperature: null }, flow: null, own: 1 } });
  await client.agents.update('x', { agentSettings: null });
  expectSame<typeof settings.own, unknown>(true);
  for (const skill of data.agentSettings?.flow?.skills ?? [])
    if (skill.type === 'ask') expectSame<typeof skill.within, [string, string] | undefined>(true);
  // @ts-expect-error Numbers are not names of models.
  await client.agents.create({ name: 'a', voiceId: 'v', agentSettings: { llm: { fallbackModels: [1] } } });
  // @ts-expect-error No such step.
  await client.agents.update('x', { agentSettings: { flow: { skills: [{ id: 'a', type: 'x' }] } } });
  // @ts-expect-error Misspelled, and reserved keys are closed.
  await client.agents.update('x', { agentSettings: { calls: { recordingEnable: true } } });
  // @ts-expect-error A required field cannot be removed.
  await client.agents.update('x', { name: null });
  // @ts-expect-error Options are the last argument, after the body.
  await client.agents.publish('x', { ifMatch: '"tag"' });
  // @ts-expect-error A create has nothing to match.
  await client.agents.create({ name: 'a', voiceId: 'v' }, { ifMatch: '"tag"' });
  // @ts-expect-error PATCH does not support Idempotency-Key.
  await client.agents.update('x', {}, { idempotencyKey: 'k' });
  // @ts-expect-error No such parameter.
  await client.agents.list({ search: 'x' });
  // @ts-expect-error `from` is missing.
  await client.agents.diff('x', { to: 2 });
  // @ts-expect-error No such scope.
  await client.apiKeys.create({ scopes: ['agents:dance'] });
  // @ts-expect-error Responses are read-only.
  response.status = 200;

  expectSame<Exclude<keyof ListCallsQuery, keyof CallQuery>, never>(true);
  expectSame<Exclude<CallEvent['type'], keyof CallEventTypes>, never>(true);
  await client.calls.list({ status: ['ended', 'error'], agentVersion: 2, successful: true });
  await client.calls.search({ filter: { all: [{ field: 'durationMs', op: 'gt', value: 1 }] } });
  const message = client.calls.messages.stream('x', { text: 'a' }, { idempotencyKey: 'k' });
  for await (const event of message) if (event.type === 'done') expectSame<typeof event.reply, CallReply>(true);
  for await (const event of client.calls.events.follow('x', { waitSeconds: 5 })) {
    if (event.type === 'turn_completed') expectSame<typeof event.data.turn, Turn>(true);
    // @ts-expect-error Only some events have a turn.
    void event.data.turn;
  }
  // @ts-expect-error No such status.
  await client.calls.list({ status: 'over' });
  // @ts-expect-error A list is for `in` only.
  await client.calls.search({ filter: { field: 'status', op: 'eq', value: ['ended'] } });
  // @ts-expect-error The type of call is required.
  await client.calls.create({ agentId: 'x' });

  const { steps } = await client.workflows.get('x');
  for (const step of steps) if (step.type === 'http_request') expectSame<typeof step.url, string>(true);
  await client.workflows.create({
    name: 'a',
    trigger: { event: 'call_ended' },
    steps: [{ id: 'b', type: 'wait', seconds: 1 }],
  });
  // @ts-expect-error No such step.
  await client.workflows.update('x', { steps: [{ id: 'b', type: 'send_mail' }] });
  // @ts-expect-error No such event.
  await client.workflows.create({ name: 'a', trigger: { event: 'call_started' }, steps: [] });

  if (caught instanceof ValidationError)
    expectSame<typeof caught.fieldErrors.name, readonly string[] | undefined>(true);
  const known: ErrorCode = 'RATE_LIMITED' satisfies ServiceCode;
  const added: ErrorCode = unknownCode;
  new VoiceAgents({ apiKey: known, baseUrl: added, timeout: undefined, debug: (line: string) => void line });
}
