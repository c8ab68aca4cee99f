import { join } from 'node:path';
import { isRepeatable, type Operation } from '../../src/contract/operation.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import type { Random } from '../random.ts';
import { asHead, Caller, compareAll, comparePair, Marks, type Probe, Probes, statusFor } from './checks.ts';
import { attackFreshness } from './freshness.ts';
import { holdingsOf, viewOf } from './holdings.ts';
import { attackProviderKeys } from './provider-keys.ts';
import { compareReferences } from './references.ts';
import {
  absenceOf,
  bodyOf,
  credentialsOf,
  type Delivery,
  deliveries,
  maySucceed,
  pathOf,
  successOf,
  type Target,
  targetsOf,
} from './requests.ts';
import { differenceOf, shapeOf, signatureOf } from './signatures.ts';
import {
  Api,
  makeEndedKeys,
  makeScopedKeys,
  namesIn,
  type ScopedKey,
  settle,
  sharedIdempotencyKey,
  someScopeSets,
  type Tenant,
} from './world.ts';

type Amount = Readonly<
  Record<
    | 'scopeSets'
    | 'brokenKeys'
    | 'foreign'
    | 'malformed'
    | 'cursors'
    | 'warmReads'
    | 'pairsAtOnce'
    | 'freshReads'
    | 'providerUses',
    number
  >
>;

const lanes = 3;
/** They change with what others do, or are themselves in the audit log. */
const moving = new Set(['figures.get', 'calls.concurrency.get', 'webhooks.secret.get']);

/** State shared by the parts of the campaign. */
interface Scene {
  readonly run: Run<Amount>;
  readonly targets: readonly Target[];
  readonly own: Tenant;
  readonly other: Tenant;
  readonly probes: Probes;
  readonly marks: Marks;
  readonly keys: readonly ScopedKey[];
  readonly databaseUrl: string;
  newConnection(): Connection;
  newCaller(service?: ServiceProcess): Caller;
}

/**
 * Timing is not compared: whether a foreign resource takes longer to find than an unknown one is out of scope. Both are
 * one lookup by workspace and id.
 */
export const tenants = defineCampaign<Amount>({
  name: 'tenants',
  about:
    'Every operation with every set of scopes, on own, foreign, unknown and malformed ids: foreign resources get the same response as unknown ones, byte for byte, and do not change. Two processes on one database: each sees what the other has acknowledged. No provider sees a key of one workspace in a request for another.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { scopeSets: 32, brokenKeys: 9, foreign: 3, malformed: 13, cursors: 100, warmReads: 6000, pairsAtOnce: 200, freshReads: 100_000, providerUses: 5000 },
    fullOnPostgres: { scopeSets: 32, brokenKeys: 9, foreign: 3, malformed: 13, cursors: 100, warmReads: 6000, pairsAtOnce: 200, freshReads: 20_000, providerUses: 5000 },
    small: { scopeSets: 4, brokenKeys: 2, foreign: 1, malformed: 1, cursors: 3, warmReads: 250, pairsAtOnce: 2, freshReads: 400, providerUses: 150 },
  }, // biome-ignore format: a table
  run: async (run) => {
    const targets = targetsOf(run.found);
    const databaseUrl = await run.newDatabaseUrl();
    const [ownKey, otherKey, thirdKey] = await makeKeys(databaseUrl, [
      { workspace: 'own' },
      { workspace: 'other' },
      { workspace: 'third' },
    ]);
    if (!ownKey || !otherKey || !thirdKey) throw new Error('the keys were not made');
    const keys = await makeScopedKeys(databaseUrl, 'own', someScopeSets(run.amount.scopeSets, run.random));
    const start = async (rateLimit: string) => {
      const settings = {
        DATABASE_URL: databaseUrl,
        LOG_LEVEL: 'warn',
        RATE_LIMIT: rateLimit,
        CALL_RATE: 'off',
        CALL_CONCURRENCY: '100000',
        // For attempts at an address where nothing listens.
        OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
      };
      const service = await startProcess(settings, { file: join(import.meta.dirname, 'service.ts') });
      run.atEnd(() => service.end('SIGTERM'));
      return service;
    };
    const [service, stingy] = await Promise.all([start('1000000000/60s'), start('1/1h')]);

    const callers: Caller[] = [];
    const newConnection = ({ port } = service): Connection => {
      const connection = new Connection(port);
      run.atEnd(() => connection.close());
      return connection;
    };
    const newCaller = (where = service): Caller => {
      const caller = new Caller({ whole: newConnection(where), cut: newConnection(where) });
      callers.push(caller);
      return caller;
    };
    const connection = newConnection();
    const own = await settle(connection, targets, ownKey, 'own', 0);
    const other = await settle(connection, targets, otherKey, 'mark of the other', lanes);
    const before = await holdingsOf(databaseUrl, other.workspaceId);
    const viewBefore = await viewOf(connection, targets, other);
    const marks = new Marks(['mark of the other', ...before.ids, ...other.blockedNumbers], run.found);
    const probes = new Probes(own, other, run.random);
    const scene: Scene = { run, targets, own, other, probes, marks, keys, databaseUrl, newConnection, newCaller };

    run.showProgress('keys that are none');
    const refusedKeys = await withoutKey(scene);
    run.showProgress('keys that have had their share');
    await overRateLimit(scene, newCaller(stingy));
    run.showProgress('what is foreign');
    const cells = await acrossTenants(scene);
    const named = { own, other, random: run.random };
    const references = await compareReferences(newCaller(), named, { found: run.found, marks });
    run.showProgress('what is kept of reads');
    const warmReads = await withCachedReads(scene);
    run.showProgress('what is own');
    const successes = await inOwnWorkspace(scene);
    run.showProgress('idempotency keys');
    await withSharedIdempotencyKey(scene, thirdKey.secret);
    await repeatForOther(scene);

    const after = await holdingsOf(databaseUrl, other.workspaceId);
    for (const [table, rows] of after.rows) {
      if (rows !== before.rows.get(table)) run.found(`the other workspace has changed: rows of ${table}`);
    }
    const viewAfter = await viewOf(connection, targets, other);
    for (const [list, pages] of viewAfter) {
      if (pages !== viewBefore.get(list)) run.found(`the other workspace is shown otherwise: ${list.split(' ')[0]}`);
    }
    run.showProgress('fresh reads');
    const fresh = await attackFreshness(run, run.amount.freshReads);
    run.showProgress('keys at providers');
    const atProviders = await attackProviderKeys(run, run.amount.providerUses);
    return {
      operations: targets.length,
      'scope sets': keys.length,
      'keys refused': refusedKeys,
      'foreign compared': cells,
      'references compared': references,
      'kept reads': warmReads,
      'own allowed': successes,
      requests: callers.reduce((sum, { sent }) => sum + sent, 0),
      'fresh reads': fresh.reads,
      stale: fresh.stale,
      'requests to providers': atProviders.requests,
      'keys they saw': atProviders.keys,
    };
  },
});

/** Runs several in parallel, each with its own connections and random generator. */
async function inLanes<T>(
  list: readonly T[],
  { run, newCaller }: Scene,
  work: (item: T, at: { caller: Caller; lane: number; random: Random }) => Promise<void>,
): Promise<void> {
  const queue = list.map((item) => ({ item, random: run.random.fork() }));
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const caller = newCaller();
      for (let next = queue.shift(); next !== undefined && !run.isOver(); next = queue.shift()) {
        await work(next.item, { caller, lane, random: next.random });
      }
    }),
  );
}

/** An invalid key gives access to nothing and reveals nothing. */
async function withoutKey(scene: Scene): Promise<number> {
  const { run, targets, own, other, probes, marks, databaseUrl, newCaller } = scene;
  const { revoked, expired } = await makeEndedKeys(databaseUrl, 'own');
  const wrong = own.secret.slice(0, -1) + (own.secret.endsWith('A') ? 'B' : 'A');
  const credentials: Readonly<Record<string, Record<string, string>>> = {
    'no key': {},
    'a wrong key': credentialsOf('bearer', wrong),
    'a wrong key in X-API-Key': credentialsOf('own header', wrong),
    'a revoked key': credentialsOf('bearer', revoked),
    'an expired key': credentialsOf('own header', expired),
    'an empty key': { Authorization: 'Bearer' },
    'two keys that differ': { ...credentialsOf('bearer', own.secret), 'X-API-Key': other.secret },
    'a key and a wrong one': { ...credentialsOf('bearer', other.secret), 'X-API-Key': wrong },
    'a key as a password': { Authorization: `Basic ${Buffer.from(`key:${own.secret}`).toString('base64')}` },
  };
  const caller = newCaller();
  let cells = 0;
  for (const target of targets) {
    for (const [when, headers] of run.random.shuffled(Object.entries(credentials)).slice(0, run.amount.brokenKeys)) {
      // Each of the two keys is cached at this time, which must not make the pair valid.
      const whoami = { about: 'whoami', method: 'GET', path: '/api/v1/whoami', options: {} };
      for (const secret of [own.secret, other.secret])
        await caller.send('whole', whoami, credentialsOf('bearer', secret));
      for (const delivery of deliveries) {
        // Even if everything else is wrong, none of it is reported.
        const worst = probes.alike(target, { Prefer: 'handling=strict', 'If-Match': '"wrong"' }, { unknown: '1' });
        await compareAll(caller, delivery, headers, [...probes.alike(target), ...worst], 401, {
          found: run.found,
          marks,
          when,
        });
        cells += 1;
      }
    }
    if (run.isOver()) break;
  }
  return cells;
}

/** An exceeded rate limit is reported before anything about the content or the resource; a missing scope likewise. */
async function overRateLimit(scene: Scene, caller: Caller): Promise<void> {
  const { run, targets, probes, marks, keys } = scene;
  for (const key of keys.slice(0, Math.ceil(run.amount.scopeSets / 2))) {
    const credentials = credentialsOf('bearer', key.secret);
    const first = { about: 'whoami', method: 'GET', path: '/api/v1/whoami', options: {} };
    const { status } = await caller.send('whole', first, credentials);
    if (status !== 200) run.found(`the first request of a window is answered ${status}`);
    for (const target of targets) {
      const status = statusFor(target, key, 429);
      const worst = probes.alike(target, { Prefer: 'handling=strict', 'If-Match': '"wrong"' }, { unknown: '1' });
      for (const delivery of deliveries) {
        const when = 'past the rate';
        await compareAll(caller, delivery, credentials, [...probes.alike(target), ...worst], status, {
          found: run.found,
          marks,
          when,
        });
      }
    }
  }
}

/** The main part: each key requests everything that belongs to the other workspace. */
async function acrossTenants(scene: Scene): Promise<number> {
  const { run, targets, probes, marks, keys } = scene;
  const context = { found: run.found, marks };
  let cells = 0;
  await inLanes(keys, scene, async (key, { caller, lane, random }) => {
    const laneProbes = probes.inLane(lane, random);
    for (const target of targets) {
      const style = random.pick(['bearer', 'own header', 'both'] as const);
      const credentials = credentialsOf(style, key.secret);
      const byStatus: { status: number; pair: [Probe, Probe] }[] = [
        ...laneProbes.aboutIds(target, run.amount).map((pair) => ({ status: absenceOf(target), pair })),
        ...laneProbes.aboutLists(target, run.amount),
        ...laneProbes.aboutTags(target),
      ];
      for (const delivery of deliveries) {
        for (const { status, pair } of byStatus) {
          await comparePair(caller, delivery, credentials, pair, statusFor(target, key, status), context);
          cells += 1;
          if (delivery === 'whole' || target.operation.method !== 'GET') continue;
          const heads = pair.map(asHead) as [Probe, Probe];
          await comparePair(caller, delivery, credentials, heads, statusFor(target, key, status), context);
        }
        await refusedBeforeLookup(scene, caller, delivery, target, key, credentials);
      }
      if (run.isOver()) return;
    }
    run.showProgress(`what is foreign: ${cells} compared`);
  });
  return cells;
}

/** Requests refused for their scope or content get the same response, whatever id is in the path. */
async function refusedBeforeLookup(
  { run, probes, marks }: Scene,
  caller: Caller,
  delivery: Delivery,
  target: Target,
  key: ScopedKey,
  credentials: Record<string, string>,
): Promise<void> {
  const unknownParameter = probes.alike(target, { Prefer: 'handling=strict', 'If-Match': '"wrong"' }, { unknown: '1' });
  const malformed = { found: run.found, marks, when: 'with an unknown parameter' };
  await compareAll(caller, delivery, credentials, unknownParameter, statusFor(target, key, 400), malformed);
  if (statusFor(target, key, 0) !== 403) return;
  const lacking = { found: run.found, marks, when: 'without the scope' };
  await compareAll(caller, delivery, credentials, probes.alike(target), 403, lacking);
}

/** Both workspaces alternately read what may be cached: each gets the same response as without a cache. */
async function withCachedReads(scene: Scene): Promise<number> {
  const { run, targets, own, other, databaseUrl, newCaller } = scene;
  const database = openDatabase(locationOf(databaseUrl), () => {});
  run.atEnd(() => database.close());
  // A commit by another process invalidates the whole cache.
  const forgetAll = () => database.run("UPDATE workspaces SET created_at = created_at + 1 WHERE name = 'third'");
  const caller = newCaller();
  const pairs: { tenant: Tenant; probe: Probe; answer: string }[][] = [];
  const shown = async (delivery: Delivery, tenant: Tenant, probe: Probe) =>
    withoutLastUses(signatureOf(await caller.send(delivery, probe, credentialsOf('bearer', tenant.secret))));
  const isSteady = ({ method, id }: Operation) => method === 'GET' && !moving.has(id);
  for (const target of targets.filter(({ operation }) => isSteady(operation))) {
    for (const [whose, holder] of [['own', own] as const, ['other', other] as const]) {
      const queries = target.isList
        ? [{}, { limit: '1' }, { limit: '2' }, { cursor: holder.cursors.get(target.operation.id) as string }]
        : [{}];
      for (const query of queries as Record<string, string>[]) {
        const path = pathOf(target, namesIn(holder, target.kind), query);
        const pair: (typeof pairs)[number] = [];
        for (const tenant of [own, other]) {
          const about = `${target.operation.id}, of ${whose}, asked by ${tenant === own ? 'own' : 'other'}`;
          const probe = { about, method: 'GET', path, options: {} };
          await forgetAll();
          pair.push({ tenant, probe, answer: await shown('whole', tenant, probe) });
        }
        pairs.push(pair);
      }
    }
  }
  let sent = 0;
  while (sent < run.amount.warmReads && !run.isOver()) {
    for (const { tenant, probe, answer } of run.random.shuffled(run.random.pick(pairs))) {
      const delivery = run.random.pick(deliveries);
      const now = await shown(delivery, tenant, probe);
      sent += 1;
      if (now === answer) continue;
      run.found(`${probe.about} (${delivery}): not what it was among reads of others: ${differenceOf(now, answer)}`);
    }
  }
  return sent;
}

/** The last use of a key is recorded some seconds later; if it is shown, the length changes with it. */
function withoutLastUses(signature: string): string {
  if (!signature.includes('"lastUsedAt":')) return signature;
  return signature.replace(/content-length: \d+/, 'content-length: N').replaceAll(/"lastUsedAt":("[^"]*"|null)/g, '');
}

/** The operation succeeds with the scope and fails without it. */
async function inOwnWorkspace(scene: Scene): Promise<number> {
  const { run, targets, own, marks, keys, probes } = scene;
  let successes = 0;
  await inLanes(keys, scene, async (key, { caller, random }) => {
    const api = new Api(scene.newConnection(), own.secret);
    for (const target of targets) {
      for (const delivery of deliveries) {
        const isAllowed = maySucceed(target, key.scopes);
        const names =
          isAllowed && target.operation.method !== 'GET' ? await api.newNames(target) : probes.ownNames(target);
        const { id, method } = target.operation;
        const probe = { about: `${id}, own`, method, path: pathOf(target, names), options: bodyOf(target, names) };
        const style = random.pick(['bearer', 'own header', 'both'] as const);
        const reply = await caller.send(delivery, probe, credentialsOf(style, key.secret));
        const expected = isAllowed ? successOf(target) : 403;
        if (reply.status !== expected)
          run.found(`${probe.about} (${delivery}): ${reply.status} instead of ${expected}`);
        marks.lookFor(`${probe.about} (${delivery})`, reply);
        if (isAllowed) successes += 1;
      }
    }
    await api.removeMade();
  });
  return successes;
}

/** The same Idempotency-Key in two workspaces is two keys: no shared response, no conflict, even at the same time. */
async function withSharedIdempotencyKey(scene: Scene, thirdSecret: string): Promise<void> {
  const { run, targets, own, marks, newCaller, newConnection } = scene;
  const repeatable = targets.filter(({ operation }) => isRepeatable(operation));
  const caller = newCaller();
  const api = new Api(newConnection(), own.secret);
  const thirdApi = new Api(newConnection(), thirdSecret);
  const third = newCaller();
  for (const target of repeatable) {
    const delivery = run.random.pick(deliveries);
    const newProbe = async (from: Api, about: string, headers: Record<string, string>): Promise<Probe> => {
      const { id, method } = target.operation;
      const names = await from.newNames(target);
      const options = { ...bodyOf(target, names), headers };
      return { about: `${id}, ${about}`, method, path: pathOf(target, names), options };
    };
    const credentials = credentialsOf('bearer', own.secret);
    const shared = await newProbe(thirdApi, 'under the other’s Idempotency-Key', sharedIdempotencyKey(target, 0));
    const fresh = await newProbe(thirdApi, 'under a new Idempotency-Key', {
      'Idempotency-Key': `new ${run.random.int(0, 1e9)}`,
    });
    const replies = [
      await third.send(delivery, shared, credentialsOf('bearer', thirdSecret)),
      await third.send(delivery, fresh, credentialsOf('bearer', thirdSecret)),
    ] as const;
    const { status } = target.operation.success;
    for (const reply of replies) {
      if (reply.status !== status) run.found(`${shared.about}: ${reply.status} instead of ${status}`);
      marks.lookFor(shared.about, reply);
    }
    const [one, other] = replies.map(shapeOf) as [string, string];
    if (one !== other) run.found(`${shared.about} can be distinguished from a new one: ${differenceOf(one, other)}`);

    for (let count = 0; count < run.amount.pairsAtOnce && !run.isOver(); count += 1) {
      const headers = { 'Idempotency-Key': `at once ${target.operation.id} ${count}` };
      const mine = await newProbe(api, 'at the same moment', headers);
      const theirs = await newProbe(thirdApi, 'at the same moment', headers);
      const both = await Promise.all([
        caller.send(delivery, mine, credentials),
        third.send(delivery, theirs, credentialsOf('bearer', thirdSecret)),
      ]);
      for (const reply of both) {
        if (reply.status !== status) run.found(`${mine.about}: ${reply.status} instead of ${status}`);
        if (reply.headers.has('idempotent-replayed'))
          run.found(`${mine.about}: the answer of another workspace is repeated`);
      }
    }
  }
}

/** Repeats by the other workspace get its own responses again, byte for byte. */
async function repeatForOther({ run, other, newConnection }: Scene): Promise<void> {
  const connection = newConnection();
  for (const { method, path, options, answer } of other.repeatables) {
    const again = await connection.request(method, path, { ...options, key: other.secret });
    const isReplayed = again.headers.get('idempotent-replayed') === 'true';
    if (!isReplayed || !again.body.equals(answer.body) || again.status !== answer.status) {
      run.found(
        `${method} ${path.replaceAll(/_[0-9a-z]{30}/g, '_ID')}: the other does not get its own kept answer again`,
      );
    }
  }
}
