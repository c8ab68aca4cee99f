import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Dialect } from '../../src/storage/database.ts';
import type { Migration } from '../../src/storage/migration.ts';
import { twoReleases } from '../../src/storage/migrations/0027-two-releases.ts';
import { migrations } from '../../src/storage/migrations/index.ts';
import { postgresDialect } from '../../src/storage/postgres/dialect.ts';
import { sqliteDialect } from '../../src/storage/sqlite/sqlite.ts';
import { releases, releasesFolder } from '../releases/releases.ts';
import { nextRelease } from '../support/next-release.ts';
import { problemsOf } from './migration-rules.ts';

const dialects: readonly Dialect[] = [sqliteDialect, postgresDialect];

/** That of the newest release. Those before the rules need no compatible schema: their instances cannot use a later one. */
function releasedSchema(): number {
  const schemas = releases.map((release) => {
    const rows = gunzipSync(readFileSync(join(releasesFolder, release, 'postgres-rows.json.gz')));
    return (JSON.parse(String(rows)).schema_migrations as unknown[]).length;
  });
  return Math.max(twoReleases.version, ...schemas);
}

const problemsWith = (statement: string, more: Partial<Migration> = {}): string[] =>
  problemsOf({ version: 100, name: 'tried', statements: () => [statement], ...more }, postgresDialect, 90);

describe('migrations', () => {
  it('leave instances of the release before working', () => {
    const released = releasedSchema();
    for (const migration of migrations.slice(twoReleases.version)) {
      for (const dialect of dialects) {
        assert.deepEqual(problemsOf(migration, dialect, released), [], `${migration.name} on ${dialect.engine}`);
      }
    }
  });

  it('may add tables, columns that can be left out, and indexes', () => {
    for (const migration of nextRelease.migrations.slice(migrations.length)) {
      for (const dialect of dialects) assert.deepEqual(problemsOf(migration, dialect, 90), [], migration.name);
    }
    for (const statement of [
      'CREATE TABLE notes (id TEXT PRIMARY KEY, call_id TEXT REFERENCES calls (id) ON DELETE CASCADE)',
      'CREATE TABLE notes (\n  id TEXT PRIMARY KEY,\n  workspace_id TEXT NOT NULL REFERENCES workspaces (id)\n)',
      'ALTER TABLE calls ADD COLUMN mood TEXT COLLATE "C"',
      'ALTER TABLE calls ADD COLUMN score DOUBLE PRECISION',
      'ALTER TABLE calls ADD COLUMN score BIGINT NOT NULL DEFAULT 0',
      "ALTER TABLE calls ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'",
    ]) {
      assert.deepEqual(problemsWith(statement), [], statement);
    }
  });

  it('may not fail or hold up what the release before does', () => {
    for (const [statement, problem] of [
      ['DROP TABLE notes', /take away/],
      ['ALTER TABLE calls DROP COLUMN mood', /take away/],
      ['ALTER TABLE calls RENAME COLUMN mood TO humour', /take away/],
      ['ALTER TABLE calls ADD CONSTRAINT calm CHECK (mood = 1)', /take away/],
      ['ALTER TABLE calls ADD COLUMN mood TEXT NOT NULL', /does not write the column/],
      ['ALTER TABLE calls ADD COLUMN mood TEXT UNIQUE', /checked or rewritten/],
      ['ALTER TABLE calls ADD COLUMN mood TEXT NOT NULL DEFAULT gen_random_uuid()', /checked or rewritten/],
      ['ALTER TABLE calls ALTER COLUMN mood TYPE BIGINT', /rewritten/],
      ['CREATE INDEX calls_by_mood ON calls (mood)', /while the index is built/],
      ['CREATE UNIQUE INDEX calls_by_mood ON calls (mood)', /while the index is built/],
      ["UPDATE calls SET mood = 'calm'", /locked for long/],
      ['DELETE FROM calls', /locked for long/],
      ["INSERT INTO settings (name, value) VALUES ('a', 'b')", /does not expect/],
      ['CREATE TABLE notes (id TEXT, call_id TEXT REFERENCES calls (id))', /could not delete from calls/],
    ] as const) {
      const [found = ''] = problemsWith(statement);
      assert.match(found, problem, statement);
    }
    assert.equal(problemsWith('CREATE TABLE notes (id TEXT)', { index: { name: 'a', on: 'calls (mood)' } }).length, 1);
  });

  it('may take away what the last release does not use any more, but nothing that it uses', () => {
    const statement = 'ALTER TABLE calls DROP COLUMN mood';
    assert.deepEqual(problemsWith(statement, { compatibleFrom: 90 }), []);
    assert.match(problemsWith(statement, { compatibleFrom: 91 })[0] ?? '', /would become unready/);
    assert.match(problemsWith('DELETE FROM calls', { compatibleFrom: 90 })[0] ?? '', /locked for long/);
  });
});
