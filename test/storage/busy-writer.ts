/** A process that always has something to write to a database. */
import { openDatabase } from '../../src/storage/open.ts';

const database = openDatabase(JSON.parse(process.argv[2] ?? ''), () => {});

async function writeOn(): Promise<never> {
  for (;;) {
    await database.transaction(
      async (queries) => {
        const start = performance.now();
        while (performance.now() - start < 1);
        await queries.run("INSERT INTO things VALUES ('busy')");
      },
      { isBackground: true },
    );
  }
}

process.on('disconnect', () => process.exit());
void Promise.all(Array.from({ length: 300 }, writeOn));
process.send?.('started');
