import { VoiceAgentsError } from './errors.ts';

/** A path that is put together when the request begins, so that an error in it rejects the call like any other. */
export type Path = () => string;

/** A path whose values are encoded, each as exactly one part: path`/api/v1/agents/${id}`. */
export function path(fixed: TemplateStringsArray, ...values: readonly (string | number)[]): Path {
  return () => fixed.reduce((text, part, place) => `${text}${encoded(values[place - 1], text)}${part}`);
}

function encoded(value: string | number | undefined, before: string): string {
  const text = typeof value === 'number' ? String(value) : value;
  // Such parts would be taken for a step within the path, and lead to another operation.
  if (typeof text !== 'string' || text === '' || text === '.' || text === '..') {
    throw new VoiceAgentsError(`What follows ${before} must be an id or a version, not ${describe(text)}.`);
  }
  try {
    return encodeURIComponent(text);
  } catch {
    throw new VoiceAgentsError(`What follows ${before} must be an id or a version, not half of a character.`);
  }
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'empty' : `"${value}"`;
  return value === null ? 'null' : typeof value;
}
