import { setTimeout as delay } from 'node:timers/promises';
import type { Phone } from '../../src/voice/carriers/local/phones.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { errorsIn, openPhoneScene, type PhoneScene, testSpeech } from '../phone/scene.ts';
import { ourNumber } from '../phone/settings.ts';

type Amounts = { readonly rounds: number; readonly calls: number };

/** Says yes whenever the other side is quiet, for much longer than a round takes. */
export const talker: Phone = {
  ringMs: 300,
  steps: [
    { do: 'wait_for_media' },
    { do: 'say', text: 'Hello.' },
    {
      do: 'repeat',
      times: 200,
      steps: [
        { do: 'listen', quietMs: 600, startWithinMs: 2500 },
        { do: 'say', text: 'Yes.' },
      ],
    },
  ],
};
export const talkerDigits = '30';
const maxStartMs = 40_000;
/** The lease of the lost process, the pauses of the carrier in between, and a sentence of both, on a busy machine. */
const maxGoOnMs = 30_000;
const maxEndMs = 30_000;
/** For calls in both instances. */
const maxAttempts = 5;

export const rejoin = defineCampaign<Amounts>({
  name: 'rejoin',
  about:
    'One of two instances behind a proxy is killed while calls talk, with the carrier in a process of its own: every call goes on with the same person, in the other instance.',
  runsOn: ['sqlite', 'postgres'],
  amounts: { full: { rounds: 30, calls: 20 }, small: { rounds: 1, calls: 8 } },
  run: async (run) => {
    const { amount } = run;
    const scene = await openPhoneScene(run, {
      instances: 2,
      slots: amount.calls * 2,
      phones: { [talkerDigits]: talker },
    });
    const agentId = await createAgent(scene);
    const tally = { calls: 0, lost: 0, goneOn: 0, longestMs: 0 };
    for (let round = 0; round < amount.rounds && !run.isOver(); round += 1) {
      run.showProgress(`round ${round}, ${tally.goneOn} of ${tally.lost} went on`);
      await playRound(run, scene, { round, agentId, tally });
    }
    for (const { message } of await scene.carrier.violations()) run.found(`the carrier was misused: ${message}`);
    for (const error of errorsIn(scene.instances.output())) run.found(`the log has an error: ${error}`);
    return {
      rounds: scene.instances.kills,
      calls: tally.calls,
      'in the process that was killed': tally.lost,
      'went on': tally.goneOn,
      'longest until both had spoken again, ms': tally.longestMs,
    };
  },
});

interface Tally {
  calls: number;
  lost: number;
  goneOn: number;
  longestMs: number;
}

interface Round {
  readonly round: number;
  readonly agentId: string;
  readonly tally: Tally;
}

async function createAgent({ must, phoneNumberId }: PhoneScene): Promise<string> {
  const engine = { responseEngineType: 'single_prompt', llmModel: 'test-echo', prompt: 'x' };
  const agent = {
    name: 'Talker',
    ...testSpeech,
    ...engine,
    beginMessage: 'Hello there.',
    dataStorageSetting: 'everything',
  };
  const { id } = await must('POST', 'agents', agent);
  await must('POST', `agents/${id}/publish`);
  await must('PATCH', `phone-numbers/${phoneNumberId}`, { inbound: { agentId: id } });
  return id;
}

/** Calls that talk, in both instances. A few calls may all come to one instance: then there are others. */
async function startCalls(run: Run<Amounts>, scene: PhoneScene, { round, agentId }: Round): Promise<OpenCall[] | null> {
  const { calls: count, rounds } = run.amount;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const first = (attempt * rounds + round) * count;
    for (let index = 0; index < count; index += 1) {
      const from = `+4474${String(first + index).padStart(6, '0')}${talkerDigits}`;
      if (index % 2 === 0) await scene.carrier.callNumber({ to: ourNumber, from, phone: talker });
      else
        await scene.must('POST', 'calls', {
          type: 'phone',
          agentId,
          fromPhoneNumberId: scene.phoneNumberId,
          to: from,
        });
    }
    const talking = await untilTalking(run, scene, count);
    if (talking === null || new Set(talking.map(({ owner }) => owner)).size > 1) return talking;
    await endAll(run, scene);
  }
  run.found('all calls were in one instance');
  return null;
}

async function playRound(run: Run<Amounts>, scene: PhoneScene, parts: Round): Promise<void> {
  const { instances } = scene;
  const { round, tally } = parts;
  const { calls: count } = run.amount;
  const before = await startCalls(run, scene, parts);
  if (before === null) return;
  tally.calls += count;
  const place = round % 2;
  const killedAt = performance.now();
  instances.kill(place);
  // What the killed process had not written is lost: what counts is said after this.
  const atKill = new Map((await openCalls(scene)).map((call) => [call.id, call]));
  await instances.allUp();
  await untilGoneOn(run, scene, { before, atKill, tally, killedAt });
  await endAll(run, scene);
}

export interface OpenCall {
  readonly id: string;
  readonly owner: string | null;
  readonly sid: string;
  readonly callerTurns: number;
  readonly agentTurns: number;
}

export async function openCalls({ database }: Pick<PhoneScene, 'database'>): Promise<OpenCall[]> {
  const rows = await database.all<{ [column: string]: string | number | null }>(
    `SELECT id, owner, provider_call_id AS sid,
        (SELECT count(*) FROM call_turns WHERE call_id = calls.id AND role = 'caller') AS callers,
        (SELECT count(*) FROM call_turns WHERE call_id = calls.id AND role = 'agent') AS agents
      FROM calls JOIN phone_dials ON phone_dials.call_id = calls.id WHERE status = 'ongoing'`,
  );
  return rows.map(({ id, owner, sid, callers, agents }) => ({
    id: String(id),
    owner: owner === null ? null : String(owner),
    sid: String(sid),
    callerTurns: Number(callers),
    agentTurns: Number(agents),
  }));
}

/** Until both sides of each call have spoken. Null if they do not. */
async function untilTalking(run: Run<Amounts>, scene: PhoneScene, count: number): Promise<OpenCall[] | null> {
  const deadline = performance.now() + maxStartMs;
  for (;;) {
    const calls = await openCalls(scene);
    const talking = calls.filter(({ callerTurns, agentTurns }) => callerTurns > 0 && agentTurns > 1);
    if (talking.length === count) return talking;
    if (performance.now() > deadline) {
      run.found(`${talking.length} of ${count} calls talk`);
      return null;
    }
    await delay(100);
  }
}

/** Every call has the same leg as before, and both sides speak in it again. */
async function untilGoneOn(
  run: Run<Amounts>,
  scene: PhoneScene,
  parts: {
    readonly before: readonly OpenCall[];
    readonly atKill: ReadonlyMap<string, OpenCall>;
    readonly tally: Tally;
    readonly killedAt: number;
  },
): Promise<void> {
  const { before, atKill, tally, killedAt } = parts;
  const deadline = performance.now() + maxGoOnMs;
  const waiting = new Map(before.map((call) => [call.id, call]));
  for (;;) {
    for (const now of await openCalls(scene)) {
      const then = atKill.get(now.id);
      if (then === undefined || !waiting.has(now.id)) continue;
      if (now.callerTurns <= then.callerTurns || now.agentTurns <= then.agentTurns) continue;
      waiting.delete(now.id);
      if (now.sid !== then.sid) run.found('a call has another leg than before');
      if (now.owner === then.owner) continue;
      tally.lost += 1;
      tally.goneOn += 1;
      tally.longestMs = Math.max(tally.longestMs, performance.now() - killedAt);
    }
    if (waiting.size === 0) break;
    if (performance.now() > deadline) break;
    await delay(100);
  }
  tally.lost += waiting.size;
  for (const { id } of waiting.values()) {
    const { status, endReason } = await scene.must('GET', `calls/${id}`);
    run.found(`a call did not go on: it is ${status}, ${endReason}`);
  }
  const sids = new Set(before.map(({ sid }) => sid));
  const ended = scene.carrier.calls().filter(({ sid, endedAt }) => sids.has(sid) && endedAt !== null);
  if (ended.length === 0) return;
  const troubles = await scene.carrier.troubles(new Set(ended.map(({ sid }) => sid)));
  run.found(`${ended.length} people were cut off: ${troubles.join(' ')}`);
}

async function endAll(run: Run<Amounts>, scene: PhoneScene): Promise<void> {
  for (const { id } of await openCalls(scene)) await scene.must('POST', `calls/${id}/end`, {});
  const deadline = performance.now() + maxEndMs;
  for (;;) {
    const open = scene.carrier.calls().filter(({ endedAt }) => endedAt === null).length;
    if (open === 0) return;
    if (performance.now() > deadline) {
      run.found(`${open} legs were left open at the carrier`);
      return;
    }
    await delay(100);
  }
}
