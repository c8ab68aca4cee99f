import type { Migration } from '../migration.ts';

/**
 * Carriers and their phone numbers, whose `doc` is the response body, the calls that they place and receive, and the
 * numbers that must not be called.
 */
export const phone: Migration = {
  version: 18,
  name: 'phone',
  statements: ({ idType, integerType, bytesType }) => [
    // `failures`: calls in a row that failed at the carrier. `used_ms`: of outbound calls that ended on `usage_day`, the
    // days since 1970 in UTC.
    `CREATE TABLE carriers (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      id ${idType} NOT NULL,
      provider TEXT NOT NULL,
      status TEXT NOT NULL,
      folded_name TEXT NOT NULL,
      etag TEXT NOT NULL,
      doc TEXT NOT NULL,
      doc_version ${integerType} NOT NULL,
      sealed_credentials ${bytesType},
      failures ${integerType} NOT NULL DEFAULT 0,
      next_dial_at ${integerType} NOT NULL DEFAULT 0,
      usage_day ${integerType} NOT NULL DEFAULT 0,
      used_ms ${integerType} NOT NULL DEFAULT 0,
      UNIQUE (workspace_id, id)
    )`,
    'CREATE UNIQUE INDEX carriers_by_id ON carriers (id)',
    'CREATE INDEX carriers_by_provider ON carriers (provider)',
    // `agent_id`: the inbound agent. `former_route`: the voice URL and status callback at the carrier before the import,
    // as JSON; null: unchanged.
    `CREATE TABLE phone_numbers (
      workspace_id ${idType} NOT NULL,
      id ${idType} NOT NULL,
      carrier_id ${idType} NOT NULL,
      provider TEXT NOT NULL,
      number ${idType} NOT NULL,
      country TEXT NOT NULL,
      status TEXT NOT NULL,
      agent_id ${idType},
      folded_name TEXT NOT NULL,
      etag TEXT NOT NULL,
      doc TEXT NOT NULL,
      doc_version ${integerType} NOT NULL,
      is_routed ${integerType} NOT NULL,
      former_route TEXT,
      UNIQUE (workspace_id, id),
      UNIQUE (workspace_id, number),
      FOREIGN KEY (workspace_id, carrier_id) REFERENCES carriers (workspace_id, id)
    )`,
    'CREATE INDEX phone_numbers_by_carrier ON phone_numbers (carrier_id, number)',
    // The legs of phone calls. `leg`: `call`, or that of a transfer. `state`: intended, sent, confirmed, refused.
    // `rank`: of the last report. `answered_at` and `ended_at` are set by reports: the minutes of a leg in progress count.
    // `settled_at`: when the call ended for us; its leg may still be open. `asked_at`: when the carrier last asked for a
    // document. `mode` and `transfer`: cold or warm, and what has become of it.
    // `destination`: a keyed digest of the dialed number, to count calls to the same one. `sealed`: JSON, until the end.
    `CREATE TABLE phone_dials (
      workspace_id ${idType} NOT NULL,
      call_id ${idType} NOT NULL,
      leg TEXT NOT NULL,
      carrier_id ${idType} NOT NULL,
      direction TEXT NOT NULL,
      state TEXT NOT NULL,
      rank ${integerType} NOT NULL,
      attempts ${integerType} NOT NULL,
      destination TEXT,
      provider_call_id TEXT,
      sealed ${bytesType},
      created_at ${integerType} NOT NULL,
      sent_at ${integerType},
      asked_at ${integerType},
      answered_at ${integerType},
      ended_at ${integerType},
      settled_at ${integerType},
      mode TEXT,
      transfer TEXT,
      UNIQUE (call_id, leg)
    )`,
    `CREATE UNIQUE INDEX phone_dials_by_provider_call ON phone_dials (carrier_id, provider_call_id)
      WHERE provider_call_id IS NOT NULL`,
    'CREATE INDEX phone_dials_open ON phone_dials (carrier_id) WHERE ended_at IS NULL',
    'CREATE INDEX phone_dials_by_destination ON phone_dials (workspace_id, destination, created_at)',
    'CREATE INDEX phone_dials_by_time ON phone_dials (created_at)',
    `CREATE TABLE do_not_call (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      number ${idType} NOT NULL,
      reason TEXT,
      source TEXT NOT NULL,
      created_at ${integerType} NOT NULL,
      UNIQUE (workspace_id, number)
    )`,
    'CREATE INDEX do_not_call_by_time ON do_not_call (workspace_id, created_at, number)',
  ],
  backup: ['carriers', 'phone_numbers', 'phone_dials', 'do_not_call'],
  // The backup does not know what was dialed since.
  afterRestore: ["UPDATE phone_dials SET state = 'refused' WHERE state = 'intended'"],
  sealed: [
    { table: 'carriers', key: ['workspace_id', 'id'], column: 'sealed_credentials' },
    { table: 'phone_dials', key: ['call_id', 'leg'], column: 'sealed' },
  ],
};
