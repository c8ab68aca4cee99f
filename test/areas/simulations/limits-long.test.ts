import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAgent, send } from '../../support/client.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { type Service, startService, useService } from '../../support/service.ts';

const path = '/api/v1/simulations';
/** A conversation of an hour in which nothing happens for long: it takes a few milliseconds. */
const short = { steps: ['say "Hello."', 'expect agent says /Hello/'] };
/** Many turns, many times: it takes several seconds. */
const long = { steps: Array.from({ length: 400 }, () => 'say "One two three four five."') };

async function newAgent(service: Service) {
  const { key } = await service.newKey();
  const { id } = await createAgent(service, key, { llmModel: 'test-echo', language: 'en-US' });
  const run = (script: object, runs: number) =>
    send(service, 'POST', path, { key, body: { agentId: id, agentVersion: 'latest', script, runs } });
  return { key, run };
}

function ownChildren(): number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

/** The process that the first simulation of a service starts. Those of services that were closed may not be gone yet. */
async function startedBy(simulate: () => Promise<{ readonly status: number }>): Promise<number> {
  const others = ownChildren();
  assert.equal((await simulate()).status, 200);
  const [pid] = ownChildren().filter((each) => !others.includes(each));
  assert.ok(pid !== undefined);
  return pid;
}

/** The processor time that a process has used, in hundredths of a second. */
function processorTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

describe('the limits of simulations', () => {
  const engine = sqliteEngine();

  describe('of time', () => {
    const service = useService(engine, { simulations: { maxMs: 400 } });

    it('answers 422 if the runs take too long, and serves the next', async () => {
      const { run } = await newAgent(service);
      const { status, json } = await run(long, 1000);
      assert.equal(status, 422);
      assert.deepEqual(json.error.details.fieldErrors, {
        runs: ['take longer than 0.4 seconds: use fewer, or a shorter script'],
      });
      // On a busy machine, a short one may take that long, too.
      let next = await run(short, 1);
      while (next.status === 422) next = await run(short, 1);
      assert.equal(next.json.passed, 1);
    });
  });

  it('ends the process of a single run that takes too long, and starts another', async (context) => {
    // The first run is never interrupted between two runs, so that only the end of its process can stop it.
    const service = await startService(engine, { simulations: { maxMs: -240 } });
    context.after(() => service.close());
    const { run } = await newAgent(service);
    const { status, json } = await run(long, 1);
    assert.deepEqual([status, Object.keys(json.error.details.fieldErrors)], [422, ['runs']]);
  });

  it('serves other requests meanwhile', async (context) => {
    const service = await startService(engine);
    context.after(() => service.close());
    const { key, run } = await newAgent(service);
    await run(short, 1);
    let isDone = false;
    const simulation = run(long, 10).finally(() => {
      isDone = true;
    });
    let answers = 0;
    while (!isDone) {
      assert.equal((await send(service, 'GET', '/api/v1/whoami', { key })).status, 200);
      answers += 1;
    }
    assert.ok([200, 422].includes((await simulation).status));
    assert.ok(answers > 3, `${answers} requests were answered during a simulation`);
  });

  it('lets some wait, half of them of one workspace, and answers 503 to the rest', {
    skip: process.platform !== 'linux',
  }, async (context) => {
    const service = await startService(engine, {
      simulations: { runners: 1, waiting: 4, maxMs: 60_000, maxWaitMs: 60_000 },
    });
    context.after(() => service.close());
    const [one, other] = [await newAgent(service), await newAgent(service)];
    const pid = await startedBy(() => one.run(short, 1));
    // While it is stopped, it takes one, and the others wait.
    process.kill(pid, 'SIGSTOP');
    const statuses: number[] = [];
    const noted = async ({ run }: typeof one) => statuses.push((await run(short, 1)).status);
    const crowd = Array.from({ length: 6 }, () => noted(one));
    while (statuses.length < 3) await delay(10);
    const others = Array.from({ length: 2 }, () => noted(other));
    await delay(100);
    assert.deepEqual(statuses, [503, 503, 503]);
    process.kill(pid, 'SIGCONT');
    await Promise.all([...crowd, ...others]);
    assert.deepEqual(statuses.slice(3), [200, 200, 200, 200, 200]);
    assert.equal((await one.run(short, 1)).status, 200, 'afterwards there is room again');
  });

  it('answers 503 to a simulation that waits too long', async (context) => {
    const service = await startService(engine, { simulations: { runners: 1, maxWaitMs: 1 } });
    context.after(() => service.close());
    const { run } = await newAgent(service);
    const [first, second] = await Promise.all([run(short, 1), run(short, 1)]);
    assert.deepEqual([first.status, second.status].sort(), [200, 503]);
    const refused = first.status === 503 ? first : second;
    assert.equal(refused.json.error.code, 'SERVICE_UNAVAILABLE');
    assert.equal(refused.headers.get('retry-after'), '1');
  });

  it('answers 422 if its process dies, and harms no other run', {
    skip: process.platform !== 'linux',
  }, async (context) => {
    const service = await startService(engine, { simulations: { maxMs: 60_000 } });
    context.after(() => service.close());
    const [one, other] = [await newAgent(service), await newAgent(service)];
    const pid = await startedBy(() => one.run(short, 1));
    const before = processorTicks(pid);
    const deadly = one.run(long, 1000);
    // Only the run itself takes so long.
    while (processorTicks(pid) < before + 20) await delay(10);
    const beside = other.run(short, 1);
    process.kill(pid, 'SIGKILL');
    const { status, json } = await deadly;
    assert.deepEqual(
      [status, json.error.details.fieldErrors],
      [422, { runs: ['take more memory than a simulation may use: use fewer, or a shorter script'] }],
    );
    assert.equal((await beside).json.passed, 1);
    assert.equal((await one.run(short, 1)).json.passed, 1);
    assert.ok(!ownChildren().includes(pid));
  });

  it('finishes what has begun when the service closes, and ends its processes', async () => {
    const service = await startService(engine);
    const { run } = await newAgent(service);
    const running = run(short, 200);
    // The agent was read, so that the simulation has begun or is about to.
    await send(service, 'GET', '/healthz').catch(() => {});
    await service.close();
    const { status, json } = await running;
    assert.deepEqual([status, json.passed], [200, 200]);
  });
});
