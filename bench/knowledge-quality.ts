import { readFileSync } from 'node:fs';
import { evaluate } from '../src/areas/knowledge/search/evaluate.ts';
import type { KnowledgeSearch } from '../src/areas/knowledge/search/search.ts';
import type { Evaluation } from '../src/contract/knowledge/search.ts';
import type { Database } from '../src/storage/database.ts';
import { newWorkspace } from '../test/support/stored-calls.ts';
import { StoredBase, type StoredDocument } from '../test/support/stored-knowledge.ts';

/** Search is developed with those of `dev`, and measured with the others. */
export type EvaluationSet = 'ja' | 'en' | 'dev-ja' | 'dev-en' | 'dev2-ja' | 'dev2-en';

interface Question {
  readonly query: string;
  readonly expected: string[];
}

/** How many of the questions of a set find their document in the first three. Every document is one chunk. */
export async function evaluateSet(
  database: Database,
  search: KnowledgeSearch,
  set: EvaluationSet,
  withSynonyms: boolean,
): Promise<Evaluation> {
  const synonyms = withSynonyms ? (JSON.parse(read(set, 'synonyms.json')) as string[][]) : [];
  const base = await new StoredBase(database, await newWorkspace(database)).create({
    language: set.slice(-2),
    synonyms,
  });
  await base.addAll(documentsOf(read(set, 'documents.md')));
  const context = {
    ...{ search, workspaceId: base.workspaceId, baseId: base.id },
    ...{ embedQuery: null, modes: ['lexical'] as const, now: Date.now },
  };
  return evaluate(context, { questions: questionsOf(read(set, 'questions.csv')), limit: 3, minScore: 0 });
}

function read(set: EvaluationSet, file: string): string {
  return readFileSync(new URL(`./knowledge/${set}/${file}`, import.meta.url), 'utf8');
}

/** A heading of level 1 is the name of a document. */
export function documentsOf(markdown: string): StoredDocument[] {
  return markdown
    .split(/^# /m)
    .slice(1)
    .map((document) => {
      const end = document.indexOf('\n');
      return { name: document.slice(0, end).trim(), chunks: [{ text: document.slice(end).trim() }] };
    });
}

/** The questions of a set, as queries. */
export function queriesOf(set: EvaluationSet): readonly string[] {
  return questionsOf(read(set, 'questions.csv')).map(({ query }) => query);
}

function questionsOf(csv: string): Question[] {
  const rows = csv.trim().split(/\r?\n/).slice(1);
  return rows.map((row) => {
    const [query = '', expected = ''] = [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
    );
    return { query, expected: expected.split('|') };
  });
}
