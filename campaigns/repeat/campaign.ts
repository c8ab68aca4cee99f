import { defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { Client, type Counts } from './client.ts';
import { Instances } from './instances.ts';
import type { Job } from './job.ts';

type Amounts = {
  readonly keyedWrites: number;
  /** How often one or both instances are killed, and how many responses come in between. */
  readonly attacks: number;
  readonly answersToAttack: number;
  readonly clients: number;
  /** How many finished jobs are repeated once more at the end. */
  readonly lateRepeats: number;
};

const key = 'a-key-for-this-campaign-only';

export const repeat = defineCampaign<Amounts>({
  name: 'repeat',
  about:
    'Repeats every POST with its Idempotency-Key, after crashes and lost connections, concurrently and on a second instance: one effect, one response.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { keyedWrites: 12_000, attacks: 24, answersToAttack: 800, clients: 24, lateRepeats: 500 },
    fullOnPostgres: { keyedWrites: 8000, attacks: 16, answersToAttack: 800, clients: 24, lateRepeats: 500 },
    small: { keyedWrites: 200, attacks: 1, answersToAttack: 150, clients: 12, lateRepeats: 40 },
  },
  run: async (run) => {
    const { amount, random, seed, found } = run;
    const DATABASE_URL = await run.newDatabaseUrl();
    const instances = new Instances({ DATABASE_URL, BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'warn', RATE_LIMIT: 'off' });
    run.atEnd(() => instances.end());
    await instances.start(2);
    const counts: Counts = {
      sends: 0,
      cut: 0,
      twins: 0,
      refusedWhileInProgress: 0,
      unavailable: 0,
      otherBodies: 0,
      maxMs: 0,
    };
    const jobs: Job[] = [];
    const versions = new Map<string, number>();
    const onResponse = killRandomly(run, instances);
    const isOver = () => jobs.length >= amount.keyedWrites || run.isOver();
    const parts = { instances, random, key, seed, counts, jobs, versions, isOver, onResponse, found };
    const clients = Array.from({ length: amount.clients }, () => new Client(parts));
    const progressTimer = setInterval(
      () => run.showProgress(`${jobs.length} keyed writes, ${instances.kills} kills`),
      1000,
    );
    try {
      await Promise.all(clients.map((client) => client.run()));
    } finally {
      clearInterval(progressTimer);
    }
    await instances.allUp();
    const late = random.shuffled(jobs).slice(0, amount.lateRepeats);
    const repeater = new Client(parts);
    for (const job of late) await repeater.repeat(job);
    repeater.close();
    await instances.allUp();
    const twice = await compareEffects(run, { port: instances.port(0), key }, jobs, versions);
    for (const line of instances.output().split('\n'))
      if (/"level":"(error|fatal)"/.test(line)) found(`the log has an error: ${JSON.parse(line).err?.message}`);
    return {
      'keyed writes': jobs.length,
      requests: counts.sends,
      kills: instances.kills,
      'connections cut': counts.cut,
      'sent twice at once': counts.twins,
      'answers 409 in progress': counts.refusedWhileInProgress,
      'answers 503': counts.unavailable,
      'other requests refused': counts.otherBodies,
      'not done exactly once': twice,
      'longest answer, ms': counts.maxMs,
    };
  },
});

/** Kills one or both instances right at a response, after a certain number of them. */
function killRandomly({ amount, random }: Run<Amounts>, instances: Instances): () => void {
  let answers = amount.answersToAttack;
  let attacks = amount.attacks;
  return () => {
    answers -= 1;
    if (answers > 0 || attacks === 0 || !instances.areAllUp()) return;
    answers = amount.answersToAttack;
    attacks -= 1;
    const roll = random.int(0, 4);
    if (roll !== 1) instances.kill(0);
    if (roll !== 0) instances.kill(1);
  };
}

interface Service {
  readonly port: number;
  readonly key: string;
}

/** Compares the effects that the service reports with what was requested. */
export async function compareEffects(
  { found }: Pick<Run, 'found'>,
  service: Service,
  jobs: readonly Job[],
  versions: ReadonlyMap<string, number>,
): Promise<number> {
  const entries = await walk<{ requestId: string | null; routeId: string; resourceId: string }>(service, 'audit-log');
  const entriesOf = new Map<number, typeof entries>();
  for (const entry of entries) {
    const number = Number(/^job\.(\d+)\./.exec(entry.requestId ?? '')?.[1] ?? Number.NaN);
    if (Number.isNaN(number)) found(`an effect without a request: ${entry.routeId}`);
    else entriesOf.set(number, [...(entriesOf.get(number) ?? []), entry]);
  }
  let wrong = 0;
  for (const { parts, answer } of jobs) {
    const own = entriesOf.get(parts.number) ?? [];
    const expected = new Set([answer?.id, ...(parts.sourceId === undefined ? [] : [parts.sourceId])]);
    const isOnce =
      own.length === expected.size &&
      new Set(own.map(({ requestId }) => requestId)).size === 1 &&
      own.every(({ routeId, resourceId }) => routeId === parts.routeId && expected.has(resourceId));
    if (isOnce) continue;
    wrong += 1;
    found(`${parts.routeId}: ${own.length} audit entries instead of ${expected.size}`);
  }
  const madeBy = (...routeIds: string[]) =>
    jobs.filter(({ parts }) => routeIds.includes(parts.routeId)).map(({ answer }) => answer?.id);
  const agents = await walk<{ id: string; version: number; isPublished: boolean }>(service, 'agents');
  const keys = await walk<{ id: string; name: string | null }>(service, 'api-keys');
  const keysMade = keys.filter(({ name }) => name !== 'BOOTSTRAP_API_KEY');
  compareIds('agents', agents, madeBy('agents.create', 'agents.duplicate'), found);
  compareIds('keys', keysMade, madeBy('apiKeys.create', 'apiKeys.rotate'), found);
  for (const { id, version, isPublished } of agents) {
    const expected = versions.get(id);
    if (expected !== undefined && (version !== expected || !isPublished))
      found('an agent has another version than what was done to it makes');
  }
  return wrong;
}

function compareIds(
  what: string,
  there: readonly { id: string }[],
  made: readonly (string | undefined)[],
  found: (what: string) => void,
): void {
  const known = new Set(made);
  const surplus = there.filter(({ id }) => !known.has(id)).length;
  if (surplus > 0) found(`${what} exist without a response`);
  if (there.length - surplus !== made.length) found(`${what} in a response do not exist`);
}

async function walk<T>({ port, key }: Service, list: string): Promise<T[]> {
  const connection = new Connection(port);
  const items: T[] = [];
  try {
    for (let next = ''; ; ) {
      const reply = await connection.request('GET', `/api/v1/${list}?limit=200${next}`, { key });
      if (reply.status !== 200) throw new Error(`${list} was answered with ${reply.status}: ${reply.body}`);
      const page = JSON.parse(reply.body.toString()) as { items: T[]; pagination: { nextCursor: string | null } };
      items.push(...page.items);
      if (page.pagination.nextCursor === null) return items;
      next = `&cursor=${encodeURIComponent(page.pagination.nextCursor)}`;
    }
  } finally {
    connection.close();
  }
}
