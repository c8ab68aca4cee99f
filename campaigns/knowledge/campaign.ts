import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { makeKeys } from '../keys.ts';
import { Instances } from '../repeat/instances.ts';
import { Check } from './check.ts';
import { Client } from './client.ts';
import { World } from './documents.ts';
import { Pages } from './pages.ts';
import { Searcher } from './searcher.ts';
import { Writer } from './writer.ts';

type Amounts = {
  readonly kills: number;
  /** Then the writers stop, and everything is compared. */
  readonly killsPerCheck: number;
  readonly maxGapMs: number;
  readonly writers: number;
  readonly searchers: number;
};

export const knowledge = defineCampaign<Amounts>({
  name: 'knowledge',
  about:
    'Instances are killed while documents are ingested, refreshed, replaced, split again and deleted, under searches: every document settles, no chunk is lost or there twice, no search sees half of a revision, and no byte of what was deleted is left.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { kills: 200, killsPerCheck: 10, maxGapMs: 1500, writers: 4, searchers: 3 },
    small: { kills: 3, killsPerCheck: 3, maxGapMs: 800, writers: 3, searchers: 2 },
  },
  run: async (run) => {
    const scene = await openScene(run);
    const { instances, writers, searchers, check, tally } = scene;
    while (instances.kills < run.amount.kills && !run.isOver()) {
      let isOver = false;
      const isRoundOver = () => isOver;
      const work = [...writers, ...searchers].map((each) => each.run(isRoundOver));
      const attacking = attack(run, scene).finally(() => {
        isOver = true;
      });
      await Promise.all([attacking, ...work]);
      await instances.allUp();
      await check.run();
      tally.checks += 1;
      reportLeftProcesses(run);
      run.showProgress(`${instances.kills} kills, ${tally.checks} checks`);
    }
    for (const error of errorsIn(instances.output())) run.found(`the log has an error: ${error}`);
    return figuresOf(scene);
  },
});

type Scene = Awaited<ReturnType<typeof openScene>>;

async function openScene(run: Run<Amounts>) {
  const databaseUrl = await run.newDatabaseUrl();
  const [made] = await makeKeys(databaseUrl, [{ workspace: 'knowledge' }]);
  if (made === undefined) throw new Error('the key was not made');
  const database = openDatabase(locationOf(databaseUrl), () => {});
  run.atEnd(() => database.close());
  const pages = new Pages();
  await pages.start(run);
  const mediaFolder = join(run.folder, 'media');
  mkdirSync(mediaFolder);
  const settings = {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    MEDIA_DIR: mediaFolder,
  };
  const instances = new Instances(settings, { file: join(import.meta.dirname, 'service.ts') });
  run.atEnd(() => instances.end());
  await instances.start(2);
  const world = new World();
  let number = 0;
  const clients: Client[] = [];
  const parts = () => {
    const client = new Client({ instances, random: run.random.fork(), key: made.secret, found: run.found });
    run.atEnd(() => client.close());
    clients.push(client);
    return { client, random: run.random.fork(), world, found: run.found };
  };
  const newNumber = () => {
    number += 1;
    return number;
  };
  const { amount, found } = run;
  const writers = Array.from({ length: amount.writers }, () => new Writer({ ...parts(), pages, newNumber }));
  const searchers = Array.from({ length: amount.searchers }, () => new Searcher(parts()));
  const { client } = parts();
  const searcher = new Searcher({ client, random: run.random.fork(), world, found });
  const check = new Check({ client, database, mediaFolder, world, searcher, found });
  const tally = { checks: 0, inFlight: new Map<string, number>(), inWork: 0 };
  return { instances, database, world, writers, searchers, clients, check, tally };
}

/** Kills instances until the next check is due. */
async function attack(run: Run<Amounts>, { instances, writers, database, tally }: Scene): Promise<void> {
  const { random, amount, isOver } = run;
  const until = Math.min(amount.kills, instances.kills + amount.killsPerCheck);
  while (instances.kills < until && !isOver()) {
    if (random.chance(0.5)) await instances.allUp();
    await delay(random.int(0, amount.maxGapMs));
    await instances.pick(random);
    const up = [0, 1].filter((place) => instances.isUp(place));
    for (const place of random.chance(0.2) ? up : [random.pick(up)]) instances.kill(place);
    for (const { work } of writers) if (work !== null) tally.inFlight.set(work, (tally.inFlight.get(work) ?? 0) + 1);
    const [row] = await database.all<{ count: number }>(
      "SELECT count(*) AS count FROM documents WHERE status IN ('queued', 'fetching', 'extracting', 'indexing')",
    );
    if (Number(row?.count ?? 0) > 0) tally.inWork += 1;
  }
}

/** A process that is killed cannot end its children: they have to notice. */
function reportLeftProcesses(run: Run<Amounts>): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const read = (file: string) => readFileSync(join('/proc', pid, file), 'utf8');
    try {
      const isOwn = read('environ').includes(`MEDIA_DIR=${run.folder}`);
      if (isOwn && /\nPPid:\s+1\n/.test(read('status'))) run.found('a child of a killed process is still running');
    } catch {
      // It has ended, or belongs to somebody else.
    }
  }
}

function figuresOf({ instances, world, writers, searchers, clients, check, tally }: Scene) {
  const of = (work: keyof Writer['counts']) => writers.reduce((sum, { counts }) => sum + counts[work], 0);
  const { ready, failed, removedPlants, longestRemovalMs, filesRemovedLater, copiesInFile } = check.counts;
  const failures = [...failed].map(([code, count]) => `${count} ${code}`).join(', ');
  const inFlight = [...tally.inFlight].map(([work, count]) => `${count} ${work}`).join(', ');
  return {
    kills: instances.kills,
    'while documents were processed': tally.inWork,
    'requests in flight': inFlight === '' ? 0 : inFlight.replaceAll(', ', ' '),
    documents: world.documents.length,
    created: of('create'),
    replaced: of('replace'),
    refreshed: of('refresh'),
    'split again': of('split'),
    deleted: of('delete'),
    searches: searchers.reduce((sum, { searches }) => sum + searches, 0),
    'with a version': searchers.reduce((sum, { hits }) => sum + hits, 0),
    'connections cut': clients.reduce((sum, { cuts }) => sum + cuts, 0),
    checks: tally.checks,
    'documents ready at them': ready,
    failed: failures === '' ? 0 : failures.replaceAll(', ', ' '),
    'deleted sentences': removedPlants,
    'gone after ms, at most': Math.round(longestRemovalMs),
    'files left by kills': filesRemovedLater,
    'copies of deleted sentences in the file at the end': copiesInFile,
  };
}

function errorsIn(output: string): string[] {
  return (
    output
      .split('\n')
      .filter((line) => /"level":"(error|fatal)"/.test(line) || /^\s+at /.test(line))
      // A search that a busy machine does not finish in time is refused, and repeated.
      .filter((line) => !line.includes('SERVICE_UNAVAILABLE'))
      .slice(0, 5)
  );
}
