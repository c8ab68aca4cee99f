import type { Dialect } from '../database.ts';
import type { Migration } from '../migration.ts';

/** How many columns `call_texts` has for the signature of a text, and how many bits each of them holds. */
const signatureColumns = 32;

/** All workspaces that have calls, with nothing filled in. */
const fillEverything = `INSERT INTO call_texts_filling (workspace_id, before_id)
  SELECT id, '~' FROM workspaces WHERE EXISTS (SELECT 1 FROM calls WHERE workspace_id = workspaces.id)`;

/** What was said in calls, to be searched. */
export const callTexts: Migration = {
  version: 26,
  name: 'call texts',
  statements: (dialect) => [
    callTextTable(dialect),
    // The workspaces whose older calls have no text yet. Calls from `before_id` on have.
    `CREATE TABLE call_texts_filling (
      workspace_id ${dialect.idType} NOT NULL PRIMARY KEY,
      before_id ${dialect.idType} NOT NULL
    )`,
    fillEverything,
  ],
  withoutBackup: ['call_texts', 'call_texts_filling'],
  afterRestore: ['DELETE FROM call_texts', 'DELETE FROM call_texts_filling', fillEverything],
};

/**
 * One row for each call that is over and stores everything: the folded text of its turns, one turn a line. `s0` to `s31`
 * are its signature, a set of bits for the pairs and triples of characters in it. They come first, because a
 * row is read from its start, and a search skips most texts by their signature.
 */
function callTextTable({ engine, idType, integerType }: Dialect): string {
  const signature = Array.from({ length: signatureColumns }, (_, place) => `      s${place} ${integerType} NOT NULL,`);
  return `CREATE TABLE call_texts (
${signature.join('\n')}
      workspace_id ${idType} NOT NULL,
      call_id ${idType} NOT NULL,
      content TEXT NOT NULL,
      PRIMARY KEY (workspace_id, call_id)
    )${engine === 'sqlite' ? ' WITHOUT ROWID' : ''}`;
}
