import { onEachEngine } from '../../support/engines.ts';
import { definitionsSuite } from './definitions.suite.ts';

onEachEngine('figures of ten thousand generated calls', (engine) => definitionsSuite(engine, 10_000, 1));
