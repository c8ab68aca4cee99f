import { styleText } from 'node:util';

/** What a command sees of the world. */
export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  /** Of the service. */
  readonly version: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export type Format = Parameters<typeof styleText>[0];

/** Colour where a person looks on, and nowhere else; NO_COLOR and FORCE_COLOR are heeded. */
export function paint(format: Format, text: string, stream: NodeJS.WriteStream): string {
  return styleText(format, text, { stream, validateStream: true });
}
