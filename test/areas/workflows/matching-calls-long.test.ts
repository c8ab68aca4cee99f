import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { seed } from '../../support/seed.ts';
import { useMatchingCalls } from './matching-calls.ts';

const parts = 10;
const workspacesPerPart = 5;
const filtersPerWorkspace = 2000;

onEachEngine('100,000 random filters', (engine) => {
  const compare = useMatchingCalls(engine);

  for (let part = 0; part < parts; part += 1) {
    it(`match the same calls in a test, after an event and in calls.search: part ${part + 1} of ${parts}`, async () => {
      for (let number = 0; number < workspacesPerPart; number += 1) {
        const offset = part * workspacesPerPart + number;
        await compare({ seed: seed + offset, calls: 20, filters: filtersPerWorkspace, isInThread: false });
      }
    });
  }
});
