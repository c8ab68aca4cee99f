import { styleText } from 'node:util';
import type { VoiceAgents } from '../../sdk/src/index.ts';
import { jsonLine } from './terminal/text.ts';

/** The environment a command runs in. */
export interface CommandContext {
  readonly environment: NodeJS.ProcessEnv;
  /** The version of the package. */
  readonly version: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** For a command that ends without an error, but not with 0. */
  setExitCode(code: number): void;
}

/** What the text of a response may need besides it. */
export interface Shown {
  readonly client: VoiceAgents;
  readonly stdout: NodeJS.WriteStream;
  readonly etag: string | null;
}

export type Format = Parameters<typeof styleText>[0];

/** Colors the text if the stream is a terminal; respects NO_COLOR and FORCE_COLOR. */
export function paint(format: Format, text: string, stream: NodeJS.WriteStream): string {
  return styleText(format, text, { stream, validateStream: true });
}

/** The reader has closed the pipe, as `head` does. This is not an error. */
export class ReaderGoneError extends Error {
  override readonly name = 'ReaderGoneError';
}

/** Writes, and waits for slow readers. */
export async function print(stream: NodeJS.WriteStream, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error == null) resolve();
      else reject((error as NodeJS.ErrnoException).code === 'EPIPE' ? new ReaderGoneError() : error);
    });
  });
}

/** A result as one line of JSON, or as text for people. */
export async function printResult(
  result: unknown,
  text: string,
  { json = false }: { readonly json?: boolean },
  { stdout }: CommandContext,
): Promise<void> {
  await print(stdout, json ? jsonLine(result) : text);
}

/** An unhandled EPIPE would crash the process. `print` reports it to the writer instead. */
export function expectReadersToGo(...streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
