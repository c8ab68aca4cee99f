/**
 * The time of a search in the store itself, without HTTP: every kind of word, on the first and on deep pages.
 *
 *   node bench/names.ts --agents 1000000
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createAgentStore } from '../src/areas/agents/store.ts';
import { openDatabase } from '../src/storage/open.ts';
import { searchWords } from './documents.ts';
import { stopAllAtExit } from './processes.ts';
import { idBytes } from './requests.ts';
import { seed } from './seed.ts';
import { removeWorkingCopies, workingCopy } from './servers.ts';
import { median } from './statistics.ts';

/**
 * Besides common, rare and absent words: words with one match in many blocks, and words whose grams are in all blocks.
 */
const hardWords = [
  'n g',
  '077',
  '0777777',
  '1000000',
  'reception ginza',
  'support desk lyon 0500005',
  '銀座店 予約受付 05',
];
const depths = [0, 0.1, 0.5, 0.98];
const limits = [50, 200];
const repeats = 15;

stopAllAtExit();
const { values } = parseArgs({ options: { agents: { type: 'string', default: '100000' } } });
const { databaseFile, idsFile, agents } = await seed(Number(values.agents));
const ids = readFileSync(idsFile, 'latin1');
const database = openDatabase({ engine: 'sqlite', file: workingCopy(databaseFile) }, (error) => {
  throw error;
});
const store = createAgentStore(database);
const workspace = await database.get<{ id: string }>('SELECT id FROM workspaces');

const words = [...Object.values(searchWords).flatMap((lengths) => Object.values(lengths).flat()), ...hardWords];
const results: { title: string; ms: number; worstMs: number }[] = [];
for (const word of words) {
  for (const depth of depths) {
    const place = Math.floor(agents * (1 - depth)) * idBytes;
    const before = depth === 0 ? null : ids.slice(place, place + idBytes);
    for (const limit of limits) {
      const times: number[] = [];
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const begin = performance.now();
        await store.page(workspace?.id as string, before, limit, word);
        times.push(performance.now() - begin);
        // The reads of one event loop iteration share a snapshot; each of these must take its own.
        await new Promise((resolve) => setImmediate(resolve));
      }
      const title = `${word}, ${limit} from ${depth * 100} % on`;
      results.push({ title, ms: median(times), worstMs: Math.max(...times) });
    }
  }
}
await database.close();
removeWorkingCopies();

const slowestFirst = results.toSorted((one, other) => other.ms - one.ms);
for (const { title, ms, worstMs } of slowestFirst) {
  process.stdout.write(`${ms.toFixed(2).padStart(6)} ms, at worst ${worstMs.toFixed(2).padStart(6)} ms  ${title}\n`);
}
process.stdout.write(`median of all: ${median(results.map(({ ms }) => ms)).toFixed(2)} ms\n`);
