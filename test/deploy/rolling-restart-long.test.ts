import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openCalls } from '../../campaigns/rejoin/campaign.ts';
import { onPostgres, postgresEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { proxyNames, skipOf } from './proxies.ts';
import { checkAll, phoneGapsMs, settle } from './rolling-restart/check.ts';
import { Contention } from './rolling-restart/contention.ts';
import { Load } from './rolling-restart/load.ts';
import { openScene, type Scene } from './rolling-restart/scene.ts';

/**
 * Within which time 95 of 100 calls go on, and messages are answered: docs/deployment.md, "Rolling restart". Leases end
 * by the clock; of everything else, half is work, which takes longer on a busy machine.
 */
const promisedMs = { SIGTERM: { byTheClock: 0, atWork: 3000 }, SIGKILL: { byTheClock: 10_000, atWork: 5000 } } as const;

/** On a busy machine. Otherwise each takes less than a minute. */
const maxMs = 300_000;

for (const name of proxyNames) {
  describe(`two instances behind ${name}`, { skip: skipOf(name) || onPostgres.skip, timeout: 2 * maxMs }, () => {
    const engine = postgresEngine();

    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      it(`are replaced one after the other with ${signal}: calls go on, and nothing is lost`, {
        timeout: maxMs,
      }, async (context) => {
        const ends: (() => unknown)[] = [];
        context.after(async () => {
          for (const end of ends.toReversed()) await end();
        });
        const scene = await openScene(name, {
          databaseUrl: await engine.newDatabaseUrl(),
          atEnd: (end) => void ends.push(end),
        });
        const { instances, refusals } = scene;
        const found: string[] = [];
        const note = (what: string) => void found.push(what);
        const contention = new Contention();
        // Caddy does not repeat what a carrier asks of an instance that is killed, and the carrier hangs up.
        const load = new Load(scene, { hasPhones: name === 'nginx' || signal === 'SIGTERM' });
        ends.push(() => load.stop());
        await load.start();
        await untilTalking(scene, load, note);
        const killsMs: number[] = [];
        for (const place of [0, 1]) {
          if (signal === 'SIGTERM') assert.equal((await instances.stop(place))?.code, 0);
          else {
            killsMs.push(Date.now());
            instances.kill(place);
          }
          await instances.allUp();
          await untilTalking(scene, load, note);
        }
        const busyness = await contention.end();
        await load.end();
        await settle(scene, note);
        await checkAll(scene, load, { isKilled: signal === 'SIGKILL', found: note });
        const phoneMs = await phoneGapsMs(scene, killsMs);
        const webMs = load.web.flatMap(({ resumesMs }) => resumesMs);
        const { repeatedMs } = load;
        const figures = {
          chats: load.chats.length,
          dials: load.dialed.size,
          web: summary(webMs),
          phone: summary(phoneMs),
          repeated: summary(repeatedMs),
          refusals: refusals.counts(),
          busyness: busyness.toFixed(1),
        };
        context.diagnostic(JSON.stringify(figures));
        assert.deepEqual([...found, ...load.failures, ...refusals.final], []);
        const { byTheClock, atWork } = promisedMs[signal];
        const allowedMs = byTheClock + (atWork * (1 + busyness)) / 2;
        for (const [what, times] of [
          ['web', webMs],
          ['phone', phoneMs],
          ['repeated', repeatedMs],
        ] as const)
          assert.ok(
            percentile95(times) <= allowedMs,
            `${what}: ${JSON.stringify(summary(times))}, allowed ${allowedMs}`,
          );
      });
    }
  });
}

/** Until every conversation goes on: a word of each side after this, on the leg it had. */
async function untilTalking(scene: Scene, load: Load, found: (what: string) => void): Promise<void> {
  const before = new Map((await openCalls(scene)).map((call) => [call.id, call]));
  const answered = load.web.map((caller) => caller.answered.length);
  await eventually(
    () =>
      load.web.every(
        (caller, index) =>
          caller.failure !== null || (caller.isConnected && caller.answered.length > (answered[index] as number)),
      ),
    'talking on pages',
  );
  await eventually(async () => {
    const now = (await openCalls(scene)).filter(({ id }) => !load.shortCalls.has(id));
    const talking = now.filter(({ id, callerTurns, agentTurns }) => {
      const then = before.get(id);
      return callerTurns > (then?.callerTurns ?? 0) && agentTurns > (then?.agentTurns ?? 0);
    });
    return talking.length === load.phoneCallers;
  }, 'talking on phones').catch(async (error: Error) => {
    throw new Error(`${error.message}: ${await phonesOf(scene)}`);
  });
  for (const { id, sid } of await openCalls(scene))
    if ((before.get(id)?.sid ?? sid) !== sid) found('a call has another leg than before');
}

/** What became of the phone calls, for who has to find out why. */
async function phonesOf({ database, carrier }: Scene): Promise<string> {
  const calls = await database.all<{ doc: string }>("SELECT doc FROM calls WHERE type = 'phone'");
  const ends = calls
    .map(({ doc }) => JSON.parse(doc))
    .map(({ to, status, endReason }) => `${to} ${status} ${endReason}`);
  const troubles = await carrier.troubles(new Set(carrier.calls().map(({ sid }) => sid)));
  return [...ends, ...troubles].join('; ');
}

function percentile95(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}

function summary(times: readonly number[]) {
  return { count: times.length, p95: Math.round(percentile95(times)), max: Math.round(Math.max(0, ...times)) };
}
