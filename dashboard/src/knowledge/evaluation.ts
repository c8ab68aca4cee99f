import type { EvaluationQuestion } from '../../../sdk/src/index.ts';

export const maxQuestions = 1000;

/** The questions of a text, one per line: the question, then the name of a document that answers it. */
export function questionsIn(text: string): { questions: EvaluationQuestion[]; badLine: number | null } {
  const questions: EvaluationQuestion[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const cells = cellsOf(line);
    // The first line of a file, as the command line writes it.
    if (index === 0 && cells[0] === 'query') continue;
    const [query = '', ...expected] = cells;
    const documents = expected.filter((name) => name !== '');
    if (query === '' || documents.length === 0) return { questions, badLine: index + 1 };
    questions.push({ query, expected: documents });
  }
  return { questions, badLine: null };
}

/** The cells of a line of CSV, or of one copied from a table. */
function cellsOf(line: string): string[] {
  if (line.includes('\t')) return line.split('\t').map((cell) => cell.trim());
  const cells = line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim());
}
