import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { locationOf } from '../../test/support/engines.ts';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { type MadeKey, makeKeys } from '../keys.ts';
import { compareStored, HttpCheck, type Verdict } from './check.ts';
import { Ledger, type Operation } from './ledger.ts';
import { type Load, Writer } from './load.ts';
import {
  type CrashedDatabase,
  copyOfSqlite,
  fileIssues,
  type KilledPostgres,
  openKilledPostgres,
  readStored,
  type Stored,
  schemaIssue,
} from './stored.ts';

type Amounts = {
  readonly kills: number;
  /** Kills per database. A new one is then created, so that none grows without limit. */
  readonly killsOfDatabase: number;
  readonly writers: number;
  /** Responses before a kill that is triggered by a response, so that others are in flight. */
  readonly minResponses: number;
  /** Databases whose last kill happens while the last uses of keys are written. */
  readonly killsAtLastUses: number;
  readonly maxReadyMs: number;
};

const key = 'a-key-for-this-campaign-only';
const mebibyte = 1024 * 1024;
/** SQLite checkpoints its WAL from 1000 pages on; this is a multiple of that. */
const maxLogMiB = 64;
/** When the service first writes the last uses of keys. */
const lastUsesAfterMs = 10_000;

export const crash = defineCampaign<Amounts>({
  name: 'crash',
  about:
    'SIGKILL at any time under concurrent writes, and during startup: nothing acknowledged is lost, and nothing is written partially.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { kills: 500, killsOfDatabase: 25, writers: 32, minResponses: 20, killsAtLastUses: 4, maxReadyMs: 2000 },
    fullOnPostgres: {
      kills: 100,
      killsOfDatabase: 25,
      writers: 32,
      minResponses: 20,
      killsAtLastUses: 1,
      maxReadyMs: 2000,
    },
    small: { kills: 3, killsOfDatabase: 3, writers: 16, minResponses: 80, killsAtLastUses: 0, maxReadyMs: 30_000 },
  },
  run: async (run) => {
    const tally = new Tally(run);
    for (let number = 0; tally.kills < run.amount.kills && !run.isOver(); number += 1) {
      const until = Math.min(run.amount.kills, tally.kills + run.amount.killsOfDatabase);
      const database = new AttackedDatabase(run, tally, await run.newDatabaseUrl());
      await database.attack(until, number < run.amount.killsAtLastUses);
    }
    return tally.figures();
  },
});

/** Totals over all databases. */
class Tally implements Verdict {
  readonly #run: Run<Amounts>;
  readonly readyMs: number[] = [];
  kills = 0;
  killsWhileStarting = 0;
  killsAtLastUses = 0;
  acknowledged = 0;
  inFlight = 0;
  doneInFlight = 0;
  largestLog = 0;
  #lost = 0;
  #half = 0;

  constructor(run: Run<Amounts>) {
    this.#run = run;
  }

  readonly lost = (what: string): void => {
    this.#lost += 1;
    this.#run.found(`lost: ${what}`);
  };

  readonly half = (what: string): void => {
    this.#half += 1;
    this.#run.found(`half-written: ${what}`);
  };

  figures() {
    const sorted = this.readyMs.toSorted((a, b) => a - b);
    return {
      kills: this.kills,
      'while starting': this.killsWhileStarting,
      'at the last uses of keys': this.killsAtLastUses,
      'acknowledged writes': this.acknowledged,
      lost: this.#lost,
      'writes in flight': this.inFlight,
      'of them done': this.doneInFlight,
      'half-written': this.#half,
      'ready after ms, median': sorted[Math.floor(sorted.length / 2)] ?? 0,
      most: sorted.at(-1) ?? 0,
      ...(this.#run.engine === 'sqlite' ? { 'largest log, MiB': this.largestLog / mebibyte } : {}),
    };
  }
}

/** One database, and the service on it that is killed repeatedly. */
class AttackedDatabase {
  readonly #run: Run<Amounts>;
  readonly #tally: Tally;
  readonly #url: string;
  readonly #settings: Record<string, string>;
  readonly #ledger = new Ledger();
  #postgres: KilledPostgres | null = null;
  #child: ChildProcess | null = null;
  #writers: Writer[] = [];
  #keys: MadeKey[] = [];
  #number = 0;
  #loads = 0;

  constructor(run: Run<Amounts>, tally: Tally, url: string) {
    this.#run = run;
    this.#tally = tally;
    this.#url = url;
    this.#settings = { DATABASE_URL: url, BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'warn', RATE_LIMIT: 'off' };
    run.atEnd(() => this.#child?.kill('SIGKILL'));
  }

  /** Runs until this many kills in total. The last one hits the write of last uses if requested. */
  async attack(untilKills: number, endsAtLastUses: boolean): Promise<void> {
    const { random } = this.#run;
    if (this.#run.engine === 'postgres') {
      this.#postgres = await openKilledPostgres(this.#url);
      this.#run.atEnd(() => this.#postgres?.close());
    }
    await this.#killWhileStarting(() => this.#untilMigrating());
    let service = await this.#start();
    while (this.#tally.kills < untilKills && !this.#run.isOver()) {
      const isLast = this.#tally.kills === untilKills - 1;
      const load =
        isLast && endsAtLastUses ? await this.#loadUntilLastUses(service) : await this.#loadUntilKill(service);
      const crashed = await this.#openCrashed();
      if (this.#tally.kills < untilKills - 1 && random.chance(0.1)) {
        // Inspects the state after the first kill before another process can repair or damage it.
        const notDone = await this.#compare(crashed, load);
        await this.#killWhileStarting(() => delay(random.int(100, 600)));
        service = await this.#start();
        await this.#check(service.port).afterKill(load, notDone);
      } else {
        const starting = this.#start();
        // Waits for the start even if the comparison fails, or the process would outlive the campaign.
        const notDone = await this.#compare(crashed, load).finally(() => starting.catch(() => {}));
        service = await starting;
        await this.#check(service.port).afterKill(load, notDone);
      }
      this.#run.showProgress(`${this.#tally.kills} kills, ${this.#tally.acknowledged} writes acknowledged`);
    }
    await this.#check(service.port).everything();
    await service.end('SIGKILL');
    await this.#compare(await this.#openCrashed(), { acknowledged: [], inFlight: [] });
    await this.#postgres?.close();
  }

  async #start(): Promise<ServiceProcess> {
    const { found, amount } = this.#run;
    const service = await startProcess(this.#settings, {
      onSpawn: (child) => {
        this.#child = child;
      },
    });
    this.#tally.readyMs.push(service.readyAfterMs);
    if (service.readyAfterMs > amount.maxReadyMs) found(`not ready within ${amount.maxReadyMs} ms after a kill`);
    if (this.#writers.length === 0) await this.#makeWriters(service.port);
    return service;
  }

  async #makeWriters(port: number): Promise<void> {
    const connection = new Connection(port);
    const reply = await connection.request('GET', '/api/v1/whoami', { key });
    connection.close();
    const { workspaceId } = JSON.parse(reply.body.toString()) as { workspaceId: string };
    const { found, random, amount } = this.#run;
    const parts = { ledger: this.#ledger, random, key, workspaceId, newNumber: this.#newNumber, found };
    this.#writers = Array.from({ length: amount.writers }, (_, owner) => new Writer(owner, parts));
  }

  #newNumber = (): number => {
    this.#number += 1;
    return this.#number;
  };

  /**
   * Half of the kills happen at a random time, the others with a response, when a write may have been acknowledged too
   * early.
   */
  async #loadUntilKill(service: ServiceProcess): Promise<Load> {
    const forMs = this.#run.random.int(50, 400);
    this.#loads += 1;
    if (this.#loads % 2 === 0) {
      return this.#load(service, (kill) => {
        setTimeout(kill, forMs);
        return () => {};
      });
    }
    return this.#load(service, (kill) => {
      const start = performance.now();
      let answers = 0;
      return () => {
        answers += 1;
        if (answers > this.#run.amount.minResponses && performance.now() - start > forMs) kill();
      };
    });
  }

  /** All writers run until the kill. `prepareKill` gets the kill function and returns a callback for each response. */
  async #load(service: ServiceProcess, prepareKill: (kill: () => void) => () => void): Promise<Load> {
    const load: Load = { acknowledged: [], inFlight: [] };
    let isKilled = false;
    const onResponse = prepareKill(() => {
      if (isKilled) return;
      isKilled = true;
      service.child.kill('SIGKILL');
    });
    const isOver = () => isKilled;
    await Promise.all(this.#writers.map((writer) => writer.run(service.port, load, { isOver, onResponse })));
    await service.end('SIGKILL');
    this.#tally.kills += 1;
    this.#tally.acknowledged += load.acknowledged.length;
    this.#tally.inFlight += load.inFlight.length;
    const error = errorLine(service.output());
    if (error !== null) this.#run.found(`the log has an error: ${error}`);
    return load;
  }

  /** Uses several keys, waits until their last uses are written, and kills around that time. */
  async #loadUntilLastUses(service: ServiceProcess): Promise<Load> {
    const startMs = performance.now();
    this.#keys = await makeKeys(
      this.#url,
      Array.from({ length: 50 }, () => ({ workspace: 'default' })),
    );
    const connection = new Connection(service.port);
    for (const { secret } of this.#keys) await connection.request('GET', '/api/v1/whoami', { key: secret });
    connection.close();
    const killMs = startMs + lastUsesAfterMs + this.#run.random.int(-20, 60);
    await delay(killMs - 300 - performance.now());
    this.#tally.killsAtLastUses += 1;
    return this.#load(service, (kill) => {
      setTimeout(kill, killMs - performance.now());
      return () => {};
    });
  }

  /** Waits until a first start creates its tables. */
  async #untilMigrating(): Promise<void> {
    const location = locationOf(this.#url);
    const isTouched = async () =>
      location.engine === 'sqlite' ? existsSync(location.file) : ((await this.#postgres?.pids()) ?? []).length > 0;
    for (let waited = 0; !(await isTouched()) && waited < 5000; waited += 1) await delay(1);
    await delay(this.#run.random.int(0, 30));
  }

  async #killWhileStarting(untilMoment: () => Promise<unknown>): Promise<void> {
    const { found, engine } = this.#run;
    const { promise: spawned, resolve } = Promise.withResolvers<ChildProcess>();
    const starting = startProcess(this.#settings, { onSpawn: resolve }).catch((error: Error) => error);
    const child = await spawned;
    this.#child = child;
    await untilMoment();
    if (child.exitCode !== null) found(`a start ended by itself: ${await starting}`);
    const exited = once(child, 'exit');
    if (child.kill('SIGKILL')) await exited;
    this.#tally.kills += 1;
    this.#tally.killsWhileStarting += 1;
    await starting;
    const crashed = await this.#openCrashed();
    const issue = await schemaIssue(crashed, engine);
    if (issue !== null) this.#tally.half(`a start: ${issue}`);
    await this.#checkFile(crashed);
    await crashed.close();
  }

  /** The database in the state after the kill. */
  async #openCrashed(): Promise<CrashedDatabase> {
    if (this.#postgres !== null) return this.#postgres.openCrashed();
    const location = locationOf(this.#url);
    if (location.engine === 'sqlite') {
      const log = `${location.file}-wal`;
      const bytes = existsSync(log) ? statSync(log).size : 0;
      this.#tally.largestLog = Math.max(this.#tally.largestLog, bytes);
      if (bytes > maxLogMiB * mebibyte) this.#run.found(`the log of SQLite has grown beyond ${maxLogMiB} MiB`);
    }
    return copyOfSqlite(this.#url, this.#run.folder);
  }

  async #compare(crashed: CrashedDatabase, { inFlight }: Load): Promise<Operation[]> {
    try {
      await this.#checkFile(crashed);
      const stored = await readStored(crashed);
      const notDone = compareStored(stored, this.#ledger, inFlight, this.#tally);
      this.#tally.doneInFlight += inFlight.length - notDone.length;
      this.#compareLastUses(stored);
      return notDone;
    } finally {
      await crashed.close();
    }
  }

  async #checkFile(crashed: CrashedDatabase): Promise<void> {
    if (this.#run.engine !== 'sqlite') return;
    for (const issue of await fileIssues(crashed)) this.#run.found(`the file is damaged: ${issue}`);
  }

  /** The keys were used together, so they are written in one transaction. */
  #compareLastUses({ lastUses }: Stored): void {
    const known = this.#keys.map(({ id }) => lastUses.get(id) !== null);
    if (known.includes(true) && known.includes(false))
      this.#tally.half('the last uses of some keys, and not of others');
  }

  #check(port: number): HttpCheck {
    const { random, found } = this.#run;
    const newNumber = this.#newNumber;
    return new HttpCheck({ port, key, ledger: this.#ledger, random, newNumber, verdict: this.#tally, found });
  }
}

function errorLine(output: string): string | null {
  // On PostgreSQL every start warns that the generated key is stored next to what it seals.
  const isProblem = (text: string) => /"level":"(warn|error|fatal)"/.test(text) && !text.includes('set DATA_KEY');
  const line = output.split('\n').find(isProblem);
  if (line === undefined) return null;
  const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } };
  return `${msg}: ${err?.message ?? ''}`;
}
