import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, WebhookFault } from '../../src/voice/carriers/local/faults.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { errorsIn, failedJobs, openPhoneScene, type PhoneScene, testSpeech } from '../phone/scene.ts';
import type { Random } from '../random.ts';
import { type AskedCall, DialCaller, type DialCounts } from './caller.ts';
import { checkDials } from './check.ts';
import { allPhones, phones, quickPhones } from './phones.ts';

type Amounts = {
  readonly dials: number;
  readonly kills: number;
  readonly callers: number;
  readonly slots: number;
  readonly maxGapMs: number;
  /** 1: also phones whose calls take a minute to be given up. */
  readonly hasSlowPhones: number;
  readonly maxEndMs: number;
};

const faultEveryMs = 150;
const maxWaitingFaults = 20;
const sameNumberChance = 0.05;

export const dial = defineCampaign<Amounts>({
  name: 'dial',
  about:
    'Instances are killed while they dial numbers at a carrier in a process of its own, which loses, repeats, delays and reverses its reports and responses: no call is dialed twice, no leg is left open, and no slot is lost.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    // A call that is not dialed in time, because the machine is busy, ends after 240 s; usually, a minute is enough.
    full: { dials: 20_000, kills: 500, callers: 16, slots: 120, maxGapMs: 2000, hasSlowPhones: 1, maxEndMs: 260_000 },
    small: { dials: 60, kills: 3, callers: 6, slots: 12, maxGapMs: 1500, hasSlowPhones: 0, maxEndMs: 100_000 },
  },
  run: async (run) => {
    const { amount } = run;
    const scene = await openPhoneScene(run, { instances: 2, slots: amount.slots, phones });
    const agentIds: string[] = [];
    for (const dataStorageSetting of ['everything', 'everything_except_pii']) {
      const engine = { responseEngineType: 'single_prompt', llmModel: 'test-echo', prompt: 'x' };
      const agent = { name: 'Caller', ...testSpeech, ...engine, beginMessage: 'Hello there.', dataStorageSetting };
      const { id } = await scene.must('POST', 'agents', agent);
      await scene.must('POST', `agents/${id}/publish`);
      agentIds.push(id);
    }
    const calls: AskedCall[] = [];
    const counts: DialCounts = { requests: 0, cut: 0, noSlot: 0, unavailable: 0, ended: 0 };
    const slots = watchSlots(run, scene);
    const dialing = dialNumbers(run, scene, { agentIds, calls, counts });
    await attackWhile(run, scene, dialing);
    await scene.carrier.clearFaults();
    await untilOver(run, scene);
    const most = await slots.end();
    const reasons = await checkDials(scene, calls, run.found);
    for (const { message } of await scene.carrier.violations()) run.found(`the carrier was misused: ${message}`);
    for (const failed of await failedJobs(scene)) run.found(`a job failed for good: ${failed}`);
    for (const error of errorsIn(scene.instances.output())) run.found(`the log has an error: ${error}`);
    return {
      dials: calls.length,
      kills: scene.instances.kills,
      'at the carrier': scene.carrier.calls().length,
      requests: counts.requests,
      'connections cut': counts.cut,
      'answers 503': counts.unavailable,
      'answers 429 without a slot': counts.noSlot,
      'ended by the API': counts.ended,
      'most open at once': most,
      ...reasons,
    };
  },
});

async function dialNumbers(
  run: Run<Amounts>,
  scene: PhoneScene,
  parts: { readonly agentIds: readonly string[]; readonly calls: AskedCall[]; readonly counts: DialCounts },
): Promise<void> {
  const { amount, random, found, isOver } = run;
  const choice = amount.hasSlowPhones === 1 ? allPhones : quickPhones;
  let count = 0;
  let last = '';
  const nextNumber = (): string | null => {
    // Both amounts are reached: whichever takes longer goes on alone.
    if ((count >= amount.dials && scene.instances.kills >= amount.kills) || isOver()) return null;
    count += 1;
    run.showProgress(`${parts.calls.length} calls, ${scene.instances.kills} kills`);
    // Two calls to one number at a time: which of them the carrier has dialed is not always known.
    if (last !== '' && random.chance(sameNumberChance)) return last;
    last = `+4474${String(count).padStart(6, '0')}${random.pick(choice)}`;
    return last;
  };
  const caller = () => new DialCaller({ scene, random, found, isOver, nextNumber, ...parts }).run();
  await Promise.all(Array.from({ length: amount.callers }, caller));
}

/** Kills instances and breaks what the carrier sends, until the work is over. */
async function attackWhile(run: Run<Amounts>, scene: PhoneScene, work: Promise<void>): Promise<void> {
  const { amount, random } = run;
  const { instances, carrier } = scene;
  let isWorkOver = false;
  const over = work.finally(() => {
    isWorkOver = true;
  });
  const faults = (async () => {
    for (let count = 1; !isWorkOver; count += 1) {
      await carrier.addFault(randomFault(random));
      // Those that nothing has used yet would all hit the same requests later.
      if (count % maxWaitingFaults === 0) await carrier.clearFaults();
      await delay(faultEveryMs);
    }
  })();
  for (let count = 0; count < amount.kills && !isWorkOver && !run.isOver(); count += 1) {
    await Promise.race([over, delay(random.int(0, amount.maxGapMs))]);
    const place = random.int(0, 1);
    instances.kill(place);
    if (random.chance(0.1)) instances.kill(1 - place);
    await instances.allUp();
  }
  await over;
  await faults;
  await instances.allUp();
}

const statusFaults: readonly WebhookFault['kind'][] = ['twice', 'late', 'reversed', 'missing', 'badly_signed'];

function randomFault(random: Random): Fault {
  const ms = random.int(100, 1500);
  // The carrier has dialed, and its response is still on its way: the worst moment for a kill.
  if (random.chance(0.5)) return { of: 'request', fault: { kind: 'delay', ms }, method: 'POST', path: '/Calls.json' };
  if (random.chance(0.1)) return { of: 'request', fault: { kind: 'error_500' }, method: 'GET' };
  if (random.chance(0.1)) return { of: 'media', fault: { kind: 'drop', afterMs: ms } };
  if (random.chance(0.2)) return { of: 'webhook', webhook: 'document', fault: { kind: 'twice' } };
  return { of: 'webhook', webhook: 'status', fault: { kind: random.pick(statusFaults), ms } };
}

/** Until no call is open, no leg either, and nothing is left to do about them. */
async function untilOver({ amount, found }: Run<Amounts>, scene: PhoneScene): Promise<void> {
  const { database, carrier } = scene;
  const deadline = performance.now() + amount.maxEndMs;
  for (;;) {
    const calls = await openCallIds(scene);
    // Reading the carrier's whole log takes a while.
    const legs = carrier.calls().filter(({ endedAt }) => endedAt === null).length;
    // A call that the carrier never confirmed is looked for during five minutes: that is not waited for.
    const unknown = await database.get<{ count: number }>(
      "SELECT count(*) AS count FROM phone_dials WHERE state = 'confirmed' AND rank < 3",
    );
    if (calls.length === 0 && legs === 0 && Number(unknown?.count) === 0) return;
    if (performance.now() > deadline) {
      return found(`${calls.length} calls and ${legs} legs did not end, ${unknown?.count} ends are not known`);
    }
    await delay(1000);
  }
}

/** In the words of its index: thousands of calls are over. */
async function openCallIds({ database, workspaceId }: PhoneScene): Promise<string[]> {
  const rows = await database.all<{ id: string }>(
    `SELECT id FROM calls WHERE workspace_id = $1 AND type = 'phone'
        AND status IN ('queued', 'registered', 'ringing', 'ongoing') ORDER BY id`,
    [workspaceId],
  );
  return rows.map(({ id }) => id);
}

/** Compares what the service says about its slots with the calls themselves, as often as these hold still. */
function watchSlots(run: Run<Amounts>, scene: PhoneScene): { end(): Promise<number> } {
  const { instances, key } = scene;
  let isEnded = false;
  let most = 0;
  const look = async (): Promise<void> => {
    const before = await openCallIds(scene);
    most = Math.max(most, before.length);
    if (before.length > run.amount.slots) run.found('more calls are open than there are slots');
    const connection = new Connection(instances.port(await instances.pick(run.random)), { timeoutMs: 5000 });
    const reply = await connection.request('GET', '/api/v1/call-concurrency', { key }).catch(() => null);
    connection.close();
    const after = await openCallIds(scene);
    if (reply?.status !== 200 || before.join() !== after.join()) return;
    const { active } = JSON.parse(reply.body.toString());
    if (active !== before.length) run.found(`${active} slots are in use by ${before.length} calls`);
  };
  const looking = (async () => {
    while (!isEnded) {
      await look();
      await delay(200);
    }
    await look();
  })();
  run.atEnd(() => {
    isEnded = true;
  });
  return {
    end: async () => {
      isEnded = true;
      await looking;
      return most;
    },
  };
}
