import { onEachEngine } from '../../support/engines.ts';
import { definitionsSuite } from './definitions.suite.ts';

onEachEngine('figures of generated calls', (engine) => definitionsSuite(engine, 120, 20));
