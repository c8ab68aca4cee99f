import fc from 'fast-check';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { defineCampaign, type EngineName, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { type MadeKey, makeKeys } from '../keys.ts';
import type { Random } from '../random.ts';
import { chatSequenceOf } from './chat-commands.ts';
import { ChatWorld } from './chat-world.ts';
import { sequenceOf } from './commands.ts';
import { Dictionary } from './names.ts';
import { play, type Side } from './play.ts';
import { type Exchange, World } from './world.ts';

const engines: readonly EngineName[] = ['sqlite', 'postgres'];
const lanes = 8;
const sequencesAtOnce = 4;
const maxSequence = 200;
const maxShorteningMs = 15_000;
/** Pairs of workspaces that are created together. */
const stock = 16;

type Amounts = { commands: number };
/** The same two workspaces on each engine, with a key for each. */
type Pair = { readonly names: readonly string[]; readonly keys: Readonly<Record<EngineName, readonly MadeKey[]>> };

export const model = defineCampaign({
  name: 'model',
  about:
    'Random sequences of commands on both engines: every response matches a small model of the documentation, and is the same on both.',
  runsOn: ['both'],
  amounts: { full: { commands: 100_000 }, small: { commands: 800 } },
  run: async (run: Run<Amounts>) => {
    const urls = Object.fromEntries(
      await Promise.all(engines.map(async (engine) => [engine, await run.newDatabaseUrl(engine)] as const)),
    ) as Record<EngineName, string>;
    const pairs = createPairs(urls);
    await pairs.refill();
    const services = await Promise.all(
      engines.map(async (engine) => {
        const settings = { DATABASE_URL: urls[engine], LOG_LEVEL: 'warn', RATE_LIMIT: 'off', CALL_RATE: 'off' };
        const service = await startProcess(settings);
        run.atEnd(() => service.end('SIGTERM'));
        return service;
      }),
    );
    const figures = { commands: 0, sequences: 0, refusals: 0, repeats: 0, differences: 0 };
    await Promise.all(
      Array.from({ length: lanes }, (_, lane) => {
        const parts = { run, random: run.random.fork(), services, nextPair: pairs.next, figures };
        // Every fourth plays chats; the others agents, keys and the audit log.
        return lane % 4 === 3
          ? runLane(parts, chatSequenceOf, () => new ChatWorld())
          : runLane(parts, sequenceOf, (names) => new World(names));
      }),
    );
    return figures;
  },
});

interface ModelWorld<Command> {
  introduce(dictionary: Dictionary, made: readonly MadeKey[]): void;
  exchangesOf(command: Command): Exchange[];
}

interface LaneParts {
  readonly run: Run<Amounts>;
  readonly random: Random;
  readonly services: readonly ServiceProcess[];
  readonly nextPair: () => Promise<Pair>;
  readonly figures: { commands: number; sequences: number; refusals: number; repeats: number; differences: number };
}

/** Runs sequences one after another, each in a new world. A failing one is shrunk. */
async function runLane<Command extends { readonly do: string }>(
  { run, random, services, nextPair, figures }: LaneParts,
  sequences: (longest: number) => fc.Arbitrary<Command[]>,
  newWorld: (names: readonly string[]) => ModelWorld<Command>,
): Promise<void> {
  const connections = services.map(({ port }) => new Connection(port));
  run.atEnd(() => {
    for (const connection of connections) connection.close();
  });
  const longest = Math.min(maxSequence, Math.ceil(run.amount.commands / lanes));
  const isEnough = () => figures.commands >= run.amount.commands || figures.differences > 0 || run.isOver();
  const playOne = async (commands: Command[]): Promise<void> => {
    const { names, keys } = await nextPair();
    const world = newWorld(names);
    const sides = engines.map((engine, index): Side => {
      const dictionary = new Dictionary();
      world.introduce(dictionary, keys[engine]);
      return { engine, connection: connections[index] as Connection, dictionary };
    });
    figures.sequences += 1;
    await play(commands, world, sides, ({ expected }) => {
      figures.commands += 1;
      if (expected.status >= 400) figures.refusals += 1;
      if (expected.isReplay) figures.repeats += 1;
      run.showProgress(`${figures.commands} commands in ${figures.sequences} sequences`);
    });
  };
  while (!isEnough()) {
    const seed = random.int(0, 2 ** 31 - 1);
    let shortenUntil: number | null = null;
    const property = fc.asyncProperty(sequences(longest), async (commands) => {
      // After a failure, only shrinking continues, for a limited time.
      if (shortenUntil === null ? isEnough() : performance.now() > shortenUntil) return;
      try {
        await playOne(commands);
      } catch (error) {
        // Only one failure is reported in full; while it is shrunk, the other lanes end.
        if (shortenUntil === null && figures.differences > 0) return;
        shortenUntil ??= performance.now() + maxShorteningMs;
        figures.differences = 1;
        throw error;
      }
    });
    const outcome = await fc.check(property, { seed, numRuns: sequencesAtOnce });
    const { failed, counterexample, counterexamplePath, errorInstance } = outcome;
    if (!failed) continue;
    const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
    const shortest = JSON.stringify(counterexample?.[0]);
    run.found(`${message}\n    by ${shortest}\n    (seed ${seed} of the sequence, path ${counterexamplePath})`);
  }
}

/** Unused workspaces, created in batches directly in the databases. */
function createPairs(urls: Readonly<Record<EngineName, string>>) {
  const ready: Pair[] = [];
  let made = 0;
  let refilling: Promise<void> | null = null;
  const make = async (): Promise<void> => {
    const names = Array.from({ length: stock }, () => {
      made += 1;
      return [`model ${made} a`, `model ${made} b`];
    });
    const wanted = names.flat().map((workspace) => ({ workspace }));
    const [sqlite, postgres] = (await Promise.all(engines.map((engine) => makeKeys(urls[engine], wanted)))) as [
      MadeKey[],
      MadeKey[],
    ];
    for (const [index, two] of names.entries()) {
      const of = (keys: readonly MadeKey[]) => keys.slice(2 * index, 2 * index + 2);
      ready.push({ names: two, keys: { sqlite: of(sqlite), postgres: of(postgres) } });
    }
  };
  const refill = (): Promise<void> => {
    refilling ??= make().finally(() => {
      refilling = null;
    });
    return refilling;
  };
  const next = async (): Promise<Pair> => {
    for (;;) {
      const pair = ready.pop();
      if (pair !== undefined) return pair;
      await refill();
    }
  };
  return { refill, next };
}
