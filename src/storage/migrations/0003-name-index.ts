import type { Migration } from '../migration.ts';

/** Empty at first on SQLite: the service fills it in the background. */
const blocks = [
  // A group of blocks of one workspace that are searched together.
  `CREATE TABLE agent_shelves (
    number INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL
  )`,
  'CREATE INDEX agent_shelves_by_workspace ON agent_shelves (workspace_id, number)',
  // The agents of a workspace from the previous block up to `last_id`, newest first. `names` is a JSON array of their
  // folded names and `ids` their concatenated ids; separate, so that the searched column is short.
  `CREATE TABLE agent_blocks (
    shelf INTEGER NOT NULL REFERENCES agent_shelves (number),
    place INTEGER NOT NULL,
    workspace_id TEXT NOT NULL,
    last_id TEXT NOT NULL,
    names TEXT NOT NULL,
    ids TEXT NOT NULL,
    PRIMARY KEY (shelf, place)
  )`,
  'CREATE UNIQUE INDEX agent_blocks_by_last_id ON agent_blocks (workspace_id, last_id, shelf, place)',
  // For each gram, the blocks of the shelf that contain it, as a bit set by block position.
  `CREATE TABLE agent_grams (
    shelf INTEGER NOT NULL,
    gram INTEGER NOT NULL,
    blocks INTEGER NOT NULL,
    PRIMARY KEY (shelf, gram)
  ) WITHOUT ROWID`,
];

const gin = [
  // Grams of up to three characters, mixed with the workspace, so that common grams of one workspace do not slow down
  // another.
  `CREATE FUNCTION agent_name_grams(workspace_id TEXT, folded_name TEXT) RETURNS BIGINT[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT coalesce(array_agg(DISTINCT hashtextextended(
        substr(folded_name, place, size) COLLATE "C", hashtextextended(workspace_id COLLATE "C", 0))), '{}')
      FROM generate_series(1, length(folded_name)) AS place, generate_series(1, 3) AS size
      WHERE place + size <= length(folded_name) + 1
    $$`,
  'CREATE INDEX agents_by_name_grams ON agents USING gin (agent_name_grams(workspace_id, folded_name))',
];

export const nameIndex: Migration = {
  version: 3,
  name: 'name index',
  statements: ({ engine }) => (engine === 'sqlite' ? blocks : gin),
  // In this order, because of the foreign keys.
  withoutBackup: ['agent_grams', 'agent_blocks', 'agent_shelves'],
};
