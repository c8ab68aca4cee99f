import type { Migration } from '../migration.ts';

/** The payload of jobs that carry content, instead of `payload`, until they are finished. */
export const sealedJobs: Migration = {
  version: 17,
  name: 'sealed jobs',
  statements: ({ bytesType }) => [`ALTER TABLE jobs ADD COLUMN sealed_payload ${bytesType}`],
  backup: ['jobs'],
  sealed: [{ table: 'jobs', key: ['id'], column: 'sealed_payload' }],
};
