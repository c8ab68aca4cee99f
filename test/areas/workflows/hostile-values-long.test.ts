import { it } from 'node:test';
import { seed } from '../../support/seed.ts';
import { checkHostileValues } from './hostile-values.ts';

it('10,000 hostile values in templates change no host, header or JSON structure', () =>
  checkHostileValues({ seed: seed + 1, count: 10_000 }));
