import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { type CommandContext, print } from '../context.ts';
import { CommandError } from '../failures.ts';

/** Lines that are typed after a prompt, or that come from a pipe, where they are repeated after it. */
export class LineInput {
  private readonly stdout: NodeJS.WriteStream;
  private readonly isTyped: boolean;
  private readonly lines: Interface;
  private readonly next: AsyncIterator<string>;
  /** What is typed ahead of a prompt is shown with it, not in the middle of what the agent says. */
  private isShown = false;
  private isInterrupted = false;

  /** With `onInterrupt`, Ctrl-C is the end of the input, and what happens to a reply is up to the caller. */
  constructor({ stdin, stdout }: Pick<CommandContext, 'stdin' | 'stdout'>, onInterrupt?: () => void) {
    this.stdout = stdout;
    this.isTyped = Boolean(stdin.isTTY && stdout.isTTY);
    this.lines = this.isTyped
      ? createInterface({ input: stdin, output: this.screen(), terminal: true, historySize: 100 })
      : createInterface({ input: stdin });
    this.lines.on('SIGINT', () => {
      this.isInterrupted = onInterrupt === undefined;
      this.lines.close();
      if (onInterrupt !== undefined) onInterrupt();
      else if (!this.isShown) process.exit(interrupted);
    });
    this.next = this.lines[Symbol.asyncIterator]();
  }

  /** Null at the end of the input. */
  async ask(prompt: string): Promise<string | null> {
    if (this.isTyped) {
      this.isShown = true;
      this.lines.setPrompt(prompt);
      this.lines.prompt(true);
    } else await print(this.stdout, prompt);
    const { done, value } = await this.next.next();
    this.isShown = false;
    if (done || !this.isTyped) await print(this.stdout, `${done ? '' : value}\n`);
    if (this.isInterrupted) throw new CommandError('interrupted', interrupted);
    return done ? null : value;
  }

  close(): void {
    this.lines.close();
  }

  private screen(): Writable {
    const { stdout } = this;
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (this.isShown) stdout.write(chunk);
        done();
      },
    });
    // The line editor needs the width to place its cursor.
    return Object.defineProperty(output, 'columns', { get: () => stdout.columns });
  }
}

const interrupted = 130;
