import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CommandContext } from '../context.ts';
import { CommandError, invalidUsage } from '../failures.ts';

export interface Dialog {
  ask(question: string): Promise<string>;
  /** The input is not echoed. */
  askSecret(question: string): Promise<string>;
}

/** Prompts on standard error, because standard output may be redirected. */
export async function withDialog<T>(
  { stdin, stderr }: Pick<CommandContext, 'stdin' | 'stderr'>,
  talk: (dialog: Dialog) => Promise<T>,
): Promise<T> {
  // Input is echoed only while a question is open: pasted lines arrive early and may contain a key.
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
    if (answer.done) throw new CommandError('no input');
    return answer.value.trim();
  };
  try {
    return await talk({ ask: (question) => hear(question, false), askSecret: (question) => hear(question, true) });
  } finally {
    lines.close();
  }
}

/** Before a command does anything that it must ask for. */
export function requireTerminal({ stdin, stderr }: CommandContext): void {
  if (stdin.isTTY && stderr.isTTY) return;
  throw invalidUsage('cannot ask for confirmation without a terminal: use --yes');
}

export async function confirm(question: string, otherwise: string, context: CommandContext): Promise<void> {
  const answer = await withDialog(context, ({ ask }) => ask(`${question} [y/N] `));
  if (!/^y(es)?$/i.test(answer)) throw new CommandError(`aborted: ${otherwise}`);
}
