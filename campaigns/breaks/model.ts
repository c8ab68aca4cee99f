import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a redaction leaves gaps in the events of a call',
    engine: 'both',
    in: 'removeTurnEvents',
    replace: 'index + 1',
    with: 'Math.max(event.sequence, index + 1)',
  },
  {
    about: 'a change to a published version does not create the next one',
    engine: 'both',
    in: 'nextDraft',
    replace: 'head.isPublished ? head.version + 1 : head.version',
    with: 'head.version',
  },
  {
    about: 'null inside a patch is stored',
    engine: 'both',
    in: 'mergePatch',
    replace: 'value === null',
    with: 'value === null && target !== undefined',
  },
  {
    about: 'a weak tag matches If-Match',
    engine: 'both',
    in: 'requireMatch',
    replace: 'tag === etag',
    with: "tag.replace(/^W\\//, '') === etag",
  },
  {
    about: 'an Idempotency-Key is not checked against the request',
    engine: 'both',
    in: 'createIdempotencyStore.claim',
    statement: 'found.fingerprint !== fingerprint',
  },
  {
    about: 'the audit log of one resource includes others',
    engine: 'both',
    in: 'listOfResourceSql',
    replace: 'resource_id =',
    with: 'resource_id >=',
  },
  {
    about: 'tags are compared after the write',
    engine: 'both',
    in: 'agents.update',
    statement: 'requireMatch(',
    after: 'store.replace(',
    with: 'requireMatch(ifMatch, stored.etag);',
  },
];
