import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'deliveries of a lost process are never sent again',
    engine: 'sqlite',
    in: 'createDeliveryStore.leases',
    replace: "status = 'pending'",
    with: "status = 'pending' AND lease_owner IS NULL",
  },
  {
    about: 'a failed delivery is given up after its first attempt',
    engine: 'sqlite',
    in: 'settlementOf',
    replace: 'delayMs === null',
    with: 'delayMs !== null',
  },
  {
    about: 'the body is not the same in each attempt',
    engine: 'postgres',
    in: 'send.content',
    replace: 'body',
    with: "body: body + ' '.repeat(run.work.attempt)",
  },
  {
    about: 'a status other than 2xx counts as received',
    engine: 'postgres',
    in: 'isSuccess',
    replace: '299',
    with: '599',
  },
  {
    about: 'Retry-After is ignored',
    engine: 'sqlite',
    in: 'settlementOf.delayMs',
    replace: 'result.retryAfterMs',
    with: 'null',
  },
  {
    about: 'the signature is for another timestamp',
    engine: 'sqlite',
    in: 'signatureHeaders',
    replace: "'webhook-timestamp': String(timestampSeconds)",
    with: "'webhook-timestamp': String(timestampSeconds + 1)",
  },
  {
    about: 'the body is committed without a delivery for webhooks that include the transcript',
    engine: 'postgres',
    in: 'createEvents.write',
    replace: 'written, matching)',
    with: 'written, matching.filter(({ include }) => include.length === 0))',
  },
];
