import { it } from 'node:test';
import { seed } from '../../support/seed.ts';
import { checkHostileValues } from './hostile-values.ts';

it('hostile values in templates change no host, header or JSON structure', () =>
  checkHostileValues({ seed, count: 300 }));
