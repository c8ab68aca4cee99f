import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'model',
    about: 'a redaction leaves gaps in the events of a call',
    engine: 'both',
    file: 'src/areas/calls/record/turns-and-events.ts',
    from: 'const sequence = index + 1;',
    to: 'const sequence = Math.max(event.sequence, index + 1);',
  },
  {
    campaign: 'model',
    about: 'a change to a published version does not create the next one',
    engine: 'both',
    file: 'src/areas/agents/agent.ts',
    from: 'version: head.isPublished ? head.version + 1 : head.version,',
    to: 'version: head.version,',
  },
  {
    campaign: 'model',
    about: 'null inside a patch is stored',
    engine: 'both',
    file: 'src/core/merge-patch.ts',
    from: 'if (value === null) delete result[name];',
    to: 'if (value === null && target !== undefined) delete result[name];',
  },
  {
    campaign: 'model',
    about: 'a weak tag matches If-Match',
    engine: 'both',
    file: 'src/http/operations/conditions.ts',
    from: "some((tag) => tag === '*' || tag === etag)) return;",
    to: "some((tag) => tag === '*' || tag.replace(/^W\\//, '') === etag)) return;",
  },
  {
    campaign: 'model',
    about: 'an Idempotency-Key is not checked against the request',
    engine: 'both',
    file: 'src/changes/idempotency/store.ts',
    from: 'if (found.fingerprint !== fingerprint) throw idempotencyKeyReused();',
    to: '',
  },
  {
    campaign: 'model',
    about: 'the audit log of one resource includes others',
    engine: 'both',
    file: 'src/areas/audit/store.ts',
    from: "entriesBefore('AND resource_id = $4')",
    to: "entriesBefore('AND resource_id >= $4')",
  },
  {
    campaign: 'model',
    about: 'tags are compared after the write',
    engine: 'both',
    file: 'src/areas/agents/routes.ts',
    from: `      requireMatch(ifMatch, head.etag);
      const changed = changeAgent(head.agent, body, timestamp());
      const stored = await store.replace(queries, head, changed);`,
    to: `      const changed = changeAgent(head.agent, body, timestamp());
      const stored = await store.replace(queries, head, changed);
      requireMatch(ifMatch, stored.etag);`,
  },
];
