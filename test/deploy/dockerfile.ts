import { readFileSync } from 'node:fs';

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of the Dockerfile, in order, without comments and line breaks. */
export function readDockerfile(): Instruction[] {
  const text = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
  return text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...rest] = line.split(' ');
      return { name, text: rest.join(' ').trim() };
    });
}

export function textsOf(instructions: readonly Instruction[], name: string): string[] {
  return instructions.filter((one) => one.name === name).map(({ text }) => text);
}

/** The variables that the image sets. */
export function environmentOf(instructions: readonly Instruction[]): Record<string, string> {
  const pairs = textsOf(instructions, 'ENV').flatMap((text) => text.split(/\s+/));
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}
