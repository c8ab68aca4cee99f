import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { type Finished, runCommand, runToEnd, startProcess } from '../../test/support/process.ts';
import { type Content, contentOf } from '../../test/support/stored-rows.ts';
import { defineCampaign, type EngineName, type Run } from '../campaign.ts';
import { makeKeys } from '../keys.ts';
import type { Random } from '../random.ts';
import { checkSnapshot } from './snapshot.ts';
import { Writer } from './writer.ts';

type Amount = { restores: number; damages: number; atOnce: number };

const roundsOfService = 10;
const writersOfService = 4;
const leadMs = 150;

export const backup = defineCampaign<Amount>({
  name: 'backup',
  about:
    'Makes backups under load and restores them into both engines: each is a complete, consistent snapshot; a damaged file is rejected and changes nothing.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { restores: 60, damages: 60, atOnce: 2 },
    fullOnPostgres: { restores: 40, damages: 40, atOnce: 2 },
    small: { restores: 2, damages: 5, atOnce: 1 },
  },
  run: async (run) => {
    const figures = { restores: 0, 'into the other engine': 0, 'over other data': 0, damages: 0, refused: 0 };
    const load = { changes: 0, during: 0 };
    let started = 0;
    const damagesEach = Math.ceil(run.amount.damages / run.amount.restores);

    const lane = async (random: Random): Promise<void> => {
      while (started < run.amount.restores && !run.isOver()) {
        const source = await startSource(run, random.fork());
        let last: { url: string; engine: EngineName } | null = null;
        for (let round = 0; round < roundsOfService && started < run.amount.restores && !run.isOver(); round += 1) {
          const number = started;
          started += 1;
          const file = join(run.folder, `${number}.backup`);
          const engine: EngineName = number % 3 === 1 ? other(run.engine) : run.engine;
          const isReplacing: boolean = last !== null && last.engine === engine && random.chance(0.5);
          const url: string = isReplacing && last !== null ? last.url : await run.newDatabaseUrl(engine);
          const { changes, during } = await backUpAndRestore(run, source, file, url, isReplacing);
          last = { url, engine };
          load.changes = Math.max(load.changes, changes);
          load.during += during;
          figures.restores += 1;
          if (engine !== run.engine) figures['into the other engine'] += 1;
          if (isReplacing) figures['over other data'] += 1;
          for (let count = 0; count < damagesEach && figures.damages < run.amount.damages; count += 1) {
            const damageNumber = figures.damages;
            figures.damages += 1;
            const target =
              damageNumber % 4 < 2 ? { url, isReplacing: true } : { url: source.emptyUrl, isReplacing: false };
            if (await isDamageRefused(run, random, damageNumber, file, target)) figures.refused += 1;
          }
          rmSync(file, { force: true });
          run.showProgress(`${figures.restores} restores, ${figures.damages} damaged files`);
        }
        await source.end();
      }
    };
    await Promise.all(Array.from({ length: run.amount.atOnce }, () => lane(run.random.fork())));
    if (load.during === 0) run.found('nothing was written while backups were taken: the load does not work');
    return { ...figures, 'changes while backing up': load.during, 'changes in a backup, at most': load.changes };
  },
});

interface Source {
  readonly databaseUrl: string;
  /** Stays empty: only damaged files are restored into it. */
  readonly emptyUrl: string;
  readonly writers: readonly Writer[];
  end(): Promise<void>;
}

async function startSource(run: Run<Amount>, random: Random): Promise<Source> {
  const databaseUrl = await run.newDatabaseUrl();
  const names = Array.from({ length: writersOfService }, (_, number) => `writer-${number}`);
  const keys = await makeKeys(
    databaseUrl,
    names.map((workspace) => ({ workspace })),
  );
  const service = await startProcess({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn', RATE_LIMIT: 'off' });
  run.atEnd(() => service.end('SIGKILL'));
  const writers = names.map((name, number) => {
    const key = keys[number] as (typeof keys)[number];
    return new Writer(name, service.port, key, random.fork(), run.found);
  });
  run.atEnd(() => {
    for (const writer of writers) writer.close();
  });
  return {
    databaseUrl,
    emptyUrl: await run.newDatabaseUrl(),
    writers,
    end: async () => {
      for (const writer of writers) writer.close();
      await service.end('SIGTERM');
    },
  };
}

/** One round, with load from before the backup until after it. */
async function backUpAndRestore(
  run: Run<Amount>,
  { databaseUrl, writers }: Source,
  file: string,
  targetUrl: string,
  isReplacing: boolean,
): Promise<{ changes: number; during: number }> {
  for (const writer of writers) writer.start();
  await delay(leadMs);
  const startMs = performance.now();
  const made = await command(run, databaseUrl, ['backup', file, '--json']);
  const endMs = performance.now();
  for (const writer of writers) await writer.pause();
  if (made === null) return { changes: 0, during: 0 };

  const restored = await command(run, targetUrl, ['restore', file, '--json', ...(isReplacing ? ['--replace'] : [])]);
  if (restored === null) return { changes: 0, during: 0 };
  const content = (await contentOf(targetUrl)) as Content;
  const changes = checkSnapshot(content, writers, { startMs, endMs }, run.found);
  const before = (await contentOf(databaseUrl)) as Content;
  // The load does not change these, except for the last use of a key.
  for (const table of ['settings', 'workspaces', 'api_keys']) {
    if (!isDeepStrictEqual(withoutUse(content[table]), withoutUse(before[table]))) {
      run.found(`the ${table} that were restored are not those of the service`);
    }
  }

  const secondFile = `${file}.second`;
  const second = await command(run, targetUrl, ['backup', secondFile, '--json']);
  if (second === null) return { changes: 0, during: 0 };
  if (new Set([made.sha256, restored.sha256, second.sha256]).size !== 1) {
    run.found('the digests of a backup, its restore and a backup of that differ');
  }
  if (linesOf(file) !== linesOf(secondFile)) run.found('a backup of what was restored has other rows than the first');
  rmSync(secondFile);
  const writes = writers.flatMap((writer) => writer.writes);
  return { changes, during: writes.filter(({ ackedMs }) => ackedMs > startMs && ackedMs < endMs).length };
}

function withoutUse(rows: Content[string] | undefined): unknown {
  return rows?.map((row) => ({ ...row, last_used_at: null }));
}

/** All lines except the first, which says when and where the backup was taken. */
function linesOf(file: string): string {
  const text = zstdDecompressSync(readFileSync(file)).toString();
  return text.slice(text.indexOf('\n'));
}

async function command(
  run: Run<Amount>,
  databaseUrl: string,
  args: readonly string[],
): Promise<{ sha256: string } | null> {
  const { code, stdout, stderr } = await runCommand(args, { DATABASE_URL: databaseUrl });
  if (code === 0 && stderr === '') return JSON.parse(stdout);
  run.found(`${args[0]} ended with ${code}: ${stderr.replaceAll(/\S*\/\S*/g, '…')}`);
  return null;
}

/** Restores from a file or through a pipe. */
async function isDamageRefused(
  run: Run<Amount>,
  random: Random,
  number: number,
  file: string,
  { url, isReplacing }: { url: string; isReplacing: boolean },
): Promise<boolean> {
  const kind = damageKinds[number % damageKinds.length] as DamageKind;
  const damaged = `${file}.damaged`;
  writeFileSync(damaged, damage(random, kind, readFileSync(file)));
  const before = await contentOf(url);
  const args = isReplacing ? ['--replace'] : [];
  const { code, stdout, stderr } =
    number % 2 === 0
      ? await runCommand(['restore', damaged, ...args], { DATABASE_URL: url })
      : await restoreFromPipe(damaged, args, url);
  const isRefused = code === 1 && stdout === '' && /^voice-agents: .* Nothing was restored\.\n$/.test(stderr);
  if (!isRefused) run.found(`a backup that was ${kind} was not refused, but ended with ${code}`);
  if (!isDeepStrictEqual(await contentOf(url), before)) run.found(`a backup that was ${kind} changed the database`);
  rmSync(damaged);
  return isRefused;
}

function restoreFromPipe(file: string, args: readonly string[], databaseUrl: string): Promise<Finished> {
  const program = join(import.meta.dirname, '..', '..', 'bin', 'voice-agents.js');
  const script = ['-c', 'cat "$0" | "$@"', file, process.execPath, program, 'restore', '-', ...args];
  return runToEnd('/bin/sh', script, { DATABASE_URL: databaseUrl });
}

const damageKinds = [
  'changed in a bit',
  'cut short',
  'made longer',
  'overwritten in a part',
  'robbed of a part',
] as const;
type DamageKind = (typeof damageKinds)[number];

function damage(random: Random, kind: DamageKind, bytes: Buffer): Buffer {
  const at = random.int(0, bytes.length - 1);
  switch (kind) {
    case 'changed in a bit':
      bytes[at] = (bytes[at] as number) ^ (1 << random.int(0, 7));
      return bytes;
    case 'cut short':
      return bytes.subarray(0, at);
    case 'made longer':
      return Buffer.concat([bytes, Buffer.alloc(random.int(1, 5000), 'more')]);
    case 'overwritten in a part':
      return bytes.map((byte, place) => (place >= at && place < at + 512 ? byte ^ 0xff : byte)) as Buffer;
    case 'robbed of a part':
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.int(1, 512))]);
  }
}

function other(engine: EngineName): EngineName {
  return engine === 'sqlite' ? 'postgres' : 'sqlite';
}
