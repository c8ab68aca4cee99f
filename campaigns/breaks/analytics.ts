import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a deletion leaves the figures of the call',
    engine: 'sqlite',
    in: 'onCallSettled',
    statement: 'queries.write(sql.remove, keyOf(call)',
  },
  {
    about: 'a change leaves the figures of the call',
    engine: 'postgres',
    in: 'onCallSettled',
    statement: 'queries.write(sql.change,',
  },
];
