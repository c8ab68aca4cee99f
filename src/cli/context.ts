import { styleText } from 'node:util';

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

export type Format = Parameters<typeof styleText>[0];

/** Colors the text if the stream is a terminal; respects NO_COLOR and FORCE_COLOR. */
export function paint(format: Format, text: string, stream: NodeJS.WriteStream): string {
  return styleText(format, text, { stream, validateStream: true });
}
