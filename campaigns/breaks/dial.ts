import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a call that the carrier did not confirm is dialed again',
    engine: 'sqlite',
    in: 'createDialJob',
    replace: 'await lookUp(parts, leg);',
    with: `{
        await database.transaction((queries) => dials.markUnsent(queries, dial));
        await send(parts, { ...leg, dial: { ...dial, state: 'intended' } });
      }`,
  },
  {
    about: 'a request to dial without a response is sent again',
    engine: 'sqlite',
    in: 'record',
    replace: 'return repeat(parts, leg, firstLookUpMs);',
    with: 'return sendAgain(parts, leg, 0);',
  },
  {
    about: 'a call that ends does not hang up its leg',
    engine: 'sqlite',
    in: 'createOnCallSettled',
    statement: 'for (const leg of legs)',
  },
  {
    about: 'the numbers of a call outlive it',
    engine: 'sqlite',
    in: 'createDialStore.settle',
    replace: 'sealed = NULL,',
    with: '',
  },
  {
    about: 'slots of phone calls that are dialed stay taken',
    engine: 'sqlite',
    in: 'createConcurrency',
    replace: `\`status IN (\${openList}) AND status <> 'queued'\`;
      const openCalls = dialect.engine === 'sqlite' ? 'calls INDEXED BY calls_open' : 'calls';`,
    with: `"status NOT IN ('queued', 'ended', 'error')"; const openCalls = dialect.engine === 'none' ? '' : 'calls';`,
  },
];
