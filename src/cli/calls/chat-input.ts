import { createInterface } from 'node:readline';
import { type CommandContext, paint } from '../context.ts';
import { LineInput } from '../terminal/line-input.ts';

/** What the caller writes. */
export interface ChatInput {
  /** Null at the end, and after `close`. */
  next(): Promise<string | null>;
  close(): void;
}

/** Typed lines, after a prompt. */
export function typedInput({ stdin, stdout, stderr }: CommandContext, onInterrupt: () => void): ChatInput {
  // The prompt is not part of what is written to a file.
  const screen = stdout.isTTY ? stdout : stderr;
  const lines = new LineInput({ stdin, stdout: screen }, onInterrupt);
  return { next: () => lines.ask(paint('green', 'You: ', screen)), close: () => lines.close() };
}

/** Lines of a pipe or a file, each of which is a message. */
export function pipedInput({ stdin }: CommandContext): ChatInput {
  const lines = createInterface({ input: stdin });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { done, value } = await iterator.next();
      return done ? null : value;
    },
    close: () => {
      lines.close();
      // An open pipe would keep the process alive.
      stdin.destroy();
    },
  };
}
