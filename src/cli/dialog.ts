import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from './command-error.ts';
import type { Surroundings } from './surroundings.ts';

export interface Dialog {
  ask(question: string): Promise<string>;
  /** What is typed is not shown. */
  askSecret(question: string): Promise<string>;
}

/** Asks a person at a terminal. On standard error, because standard output may lead elsewhere. */
export async function withDialog<T>(
  { stdin, stderr }: Pick<Surroundings, 'stdin' | 'stderr'>,
  talk: (dialog: Dialog) => Promise<T>,
): Promise<T> {
  // Shown only between a question and its answer: what is pasted in one go runs ahead, and may be a key.
  let isShown = false;
  let isInterrupted = false;
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (isShown) stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  lines.on('line', () => {
    isShown = false;
  });
  lines.on('SIGINT', () => {
    isInterrupted = true;
    lines.close();
  });
  const answers = lines[Symbol.asyncIterator]();
  const hear = async (question: string, isSecret: boolean): Promise<string> => {
    stderr.write(question);
    isShown = !isSecret;
    const answer = await answers.next();
    if (isSecret || answer.done) stderr.write('\n');
    if (isInterrupted) throw new CommandError('interrupted', 130);
    if (answer.done) throw new CommandError('there was no answer');
    return answer.value.trim();
  };
  try {
    return await talk({ ask: (question) => hear(question, false), askSecret: (question) => hear(question, true) });
  } finally {
    lines.close();
  }
}
