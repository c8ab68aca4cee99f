/** Pairs of a question and its answer, as in `Q: …` and `A: …`, which are kept together. */

const number = '[ \\t]*[0-9０-９]{0,3}[ \\t]*';
/** Markdown around the marker: a list, a quotation, a heading, bold. */
const prefix = '[ \\t\\u3000]*(?:[-*+>#]+[ \\t]+)*(?:\\*\\*|__)?';
const suffix = '(?:\\*\\*|__)?[ \\t\\u3000]*';

function marker(letters: string, words: string): RegExp {
  return new RegExp(`^${prefix}(?:[${letters}]${number}[:：.．]|(?:${words})${number}[:：])${suffix}`, 'iu');
}

const questionMarker = marker('QＱ', '質問|question');
const answerMarker = marker('AＡ', '回答|answer');

export function isQuestion(line: string): boolean {
  return questionMarker.test(line);
}

export function isAnswer(line: string): boolean {
  return answerMarker.test(line);
}

/** The question and the answer of a chunk without their markers, or null if the chunk is no such pair. */
export function questionAndAnswer(text: string): { readonly question: string; readonly answer: string } | null {
  const question = questionMarker.exec(text);
  if (question === null) return null;
  const rest = text.slice(question[0].length);
  const lines = rest.matchAll(/\n(?=([^\n]*))/g);
  for (const line of lines) {
    const answer = answerMarker.exec(line[1] ?? '');
    if (answer === null) continue;
    return {
      question: rest.slice(0, line.index).trim(),
      answer: rest.slice(line.index + 1 + answer[0].length).trim(),
    };
  }
  return null;
}
