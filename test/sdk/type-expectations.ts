/** Not run: `npm run check` compiles it, and fails where a line that must not compile does, or one that must does not. */
import {
  type Agent,
  type ApiPromise,
  type ErrorCode,
  type Page,
  type PagePromise,
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
  expectSame<typeof data.agentSettings, unknown>(true);

  await client.agents.update(data.id, { startSkillId: null, voiceSpeed: 1 }, { ifMatch: response.etag });
  // @ts-expect-error A create takes no null for what is absent until set.
  await client.agents.create({ name: 'a', voiceId: 'v', startSkillId: null });
  // @ts-expect-error The voice is required.
  await client.agents.create({ name: 'a' });
  // @ts-expect-error No such mode.
  await client.agents.create({ name: 'a', voiceId: 'v', sttMode: 'slow' });
  // @ts-expect-error The short names of create are refused in an update.
  await client.agents.update('x', { prompt: 'p' });
  // @ts-expect-error Nothing is required to take a name away.
  await client.agents.update('x', { name: null });
  // @ts-expect-error Options are the last argument, and no body.
  await client.agents.publish('x', { ifMatch: '"tag"' });
  // @ts-expect-error A create makes something new: there is nothing to match.
  await client.agents.create({ name: 'a', voiceId: 'v' }, { ifMatch: '"tag"' });
  // @ts-expect-error The service knows no repeats of a PATCH.
  await client.agents.update('x', {}, { idempotencyKey: 'k' });
  // @ts-expect-error No such parameter.
  await client.agents.list({ search: 'x' });
  // @ts-expect-error From where?
  await client.agents.diff('x', { to: 2 });
  // @ts-expect-error No such scope.
  await client.apiKeys.create({ scopes: ['agents:dance'] });
  // @ts-expect-error What came is not changed.
  response.status = 200;

  if (caught instanceof ValidationError)
    expectSame<typeof caught.fieldErrors.name, readonly string[] | undefined>(true);
  const known: ErrorCode = 'RATE_LIMITED' satisfies ServiceCode;
  const added: ErrorCode = unknownCode;
  new VoiceAgents({ apiKey: known, baseUrl: added, timeout: undefined });
}
