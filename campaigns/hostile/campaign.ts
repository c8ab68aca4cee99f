import { setTimeout as delay } from 'node:timers/promises';
import { startProcess } from '../../test/support/process.ts';
import { AbortedRun, defineCampaign, type Run } from '../campaign.ts';
import { makeKeys } from '../keys.ts';
import { residentMiB } from '../process-figures.ts';
import { attack, attackNames } from './attacks.ts';
import { RegularTenants, type RegularTimes } from './regular-tenants.ts';
import { startHostileServers } from './servers.ts';
import { HostileTenant } from './tenant.ts';

type Amount = Readonly<Record<'seconds' | 'phaseSeconds' | 'maxRatio', number>>;

const regularCount = 10;
const hostileCount = 3;
/** Before each request of every workspace. */
const pauseMs = 25;
/** How many attacks run at the same time in each hostile workspace. */
const lanes = 2;

export const hostile = defineCampaign<Amount>({
  name: 'hostile',
  about:
    'Hostile agents, tools, models, receivers and pages against one process, beside ten regular workspaces: the regular ones notice nothing, the process never ends, no slot is lost, and every call can be ended, redacted and deleted.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { seconds: 3000, phaseSeconds: 20, maxRatio: 2 },
    fullOnPostgres: { seconds: 600, phaseSeconds: 20, maxRatio: 2 },
    // Tests run beside others, which makes a p99 meaningless.
    small: { seconds: 40, phaseSeconds: 8, maxRatio: Number.POSITIVE_INFINITY },
  },
  run: async (run) => {
    const databaseUrl = await run.newDatabaseUrl();
    const workspaces = Array.from({ length: regularCount + hostileCount }, (_, index) => ({ workspace: `w${index}` }));
    const keys = await makeKeys(databaseUrl, workspaces);
    const servers = await startHostileServers(run.found);
    run.atEnd(() => servers.close());
    const service = await startProcess({
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: 'warn',
      CALL_RATE: 'off',
      OPENAI_BASE_URL: `${servers.url}/v1`,
      MEDIA_DIR: run.folder,
    });
    run.atEnd(() => service.end('SIGTERM'));
    const hostileTenants = keys
      .slice(regularCount)
      .map(({ secret: key }) => new HostileTenant({ port: service.port, key, pauseMs, found: run.found }));
    const regular = await RegularTenants.start({
      port: service.port,
      keys: keys.slice(0, regularCount).map(({ secret }) => secret),
      pauseMs,
    });
    run.atEnd(() => regular.stop());
    await delay(2000);
    const measured = await attackInPhases(run, { regular, hostileTenants, servers, child: service.child });
    for (const tenant of hostileTenants) await tenant.finishAll();
    return { ...measured, 'memory MiB': Math.round(residentMiB(service.child.pid ?? 0)) };
  },
});

interface Parts {
  readonly regular: RegularTenants;
  readonly hostileTenants: readonly HostileTenant[];
  readonly servers: Awaited<ReturnType<typeof startHostileServers>>;
  readonly child: { readonly exitCode: number | null; readonly signalCode: NodeJS.Signals | null };
}

/** Alternates between phases without and with attacks, so that both are measured on the same machine. */
async function attackInPhases(run: Run<Amount>, { regular, hostileTenants, servers, child }: Parts) {
  const alone: RegularTimes[] = [];
  const beside: RegularTimes[] = [];
  const failures: string[] = [];
  const start = performance.now();
  const isDone = () => performance.now() - start > run.amount.seconds * 1000 || run.isOver();
  let attacks = 0;
  let requestsBeside = 0;
  for (let phase = 0; !isDone(); phase += 1) {
    await regular.take();
    await delay(run.amount.phaseSeconds * 500);
    const timesAlone = await regular.take();
    const phaseEnd = performance.now() + run.amount.phaseSeconds * 1000;
    const lane = async (tenant: HostileTenant) => {
      const random = run.random.fork();
      while (performance.now() < phaseEnd) {
        const name = random.pick(attackNames);
        try {
          await attack(name, { tenant, servers, random, found: (what) => run.found(`${name}: ${what}`) });
          attacks += 1;
        } catch (error) {
          run.found(`${name}: the connection was cut: ${(error as Error).message}`);
        }
        if (child.exitCode !== null || child.signalCode !== null)
          throw new AbortedRun(`${name}: the process has ended`);
        run.showProgress(`${attacks} attacks, ${requestsBeside} requests of others beside them`);
      }
    };
    const running = Promise.all(hostileTenants.flatMap((tenant) => Array.from({ length: lanes }, () => lane(tenant))));
    // Attacks that last longer than the phase are not waited for while the times are taken.
    await Promise.race([running, delay(run.amount.phaseSeconds * 1000)]);
    const timesBeside = await regular.take();
    requestsBeside += timesBeside.requests.length;
    // In the first phase, the process compiles what the attacks use.
    if (phase > 0) {
      alone.push(timesAlone);
      beside.push(timesBeside);
    }
    failures.push(...timesAlone.failures, ...timesBeside.failures);
    await running;
    // What is left of the attacks does not count as time alone.
    await delay(1000);
  }
  for (const failure of failures) run.found(`a regular workspace: ${failure}`);
  return { attacks, ...compared(run, alone, beside) };
}

/**
 * The p99 of regular workspaces beside attacks, as a multiple of that without. Each is the median of the phases: a shared
 * machine stops for a second at times, in a phase of either kind.
 */
function compared(run: Run<Amount>, alone: readonly RegularTimes[], beside: readonly RegularTimes[]) {
  const figures: Record<string, number> = {};
  for (const kind of ['requests', 'turns', 'deliveries'] as const) {
    const typical = (phases: readonly RegularTimes[]) => median(phases.map((times) => p99(times[kind])));
    const [before, after] = [typical(alone), typical(beside)];
    figures[`${kind} p99 alone ms`] = before;
    figures[`${kind} p99 beside attacks ms`] = after;
    if (after > run.amount.maxRatio * before) {
      run.found(`the p99 of ${kind} is ${after.toFixed()} ms beside attacks and ${before.toFixed()} ms alone`);
    }
  }
  return figures;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function p99(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
}
