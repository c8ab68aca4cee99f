import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a call that the carrier did not confirm is dialed again',
    engine: 'sqlite',
    in: 'createDialJob',
    replace: "dial.state === 'intended'",
    with: "dial.state === 'intended' || dial.state === 'sent'",
  },
  {
    about: 'a request is sent before it is recorded that it will be',
    engine: 'sqlite',
    in: 'createDialStore.markSent',
    replace: "AND state = 'intended' AND settled_at IS NULL",
    with: "AND state IN ('intended', 'sent') AND settled_at IS NULL",
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
    about: 'a leg whose call has ended meanwhile is not hung up when the carrier confirms it',
    engine: 'postgres',
    in: 'createConfirm',
    statement: 'await jobs.hangUp(queries, confirmed)',
  },
  {
    about: 'slots of phone calls that are dialed stay taken',
    engine: 'sqlite',
    in: 'createConcurrency.isActive',
    replace: "status IN ('registered', 'ringing', 'ongoing')",
    with: "status IN ('registered', 'ringing', 'ongoing', 'not_connected')",
  },
];
