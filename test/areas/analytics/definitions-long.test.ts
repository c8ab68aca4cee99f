import { onEachEngine } from '../../support/engines.ts';
import { definitionsSuite, longMs } from './definitions.suite.ts';

onEachEngine('figures of ten thousand generated calls', (engine) => definitionsSuite(engine, 10_000, 1), {
  timeoutMs: 2 * longMs,
});
