import { VoiceAgentsError } from './errors.ts';

/** A path that is built when the request starts, so that an invalid value rejects the promise instead of throwing. */
export type Path = () => string;

/** A path with encoded values, each exactly one segment: path`/api/v1/agents/${id}`. */
export function path(fixed: TemplateStringsArray, ...values: readonly (string | number)[]): Path {
  return () => fixed.reduce((text, part, place) => `${text}${encoded(values[place - 1], text)}${part}`);
}

function encoded(value: string | number | undefined, before: string): string {
  const text = typeof value === 'number' ? String(value) : value;
  // These segments would be resolved as part of the path and reach another operation.
  if (typeof text !== 'string' || text === '' || text === '.' || text === '..') {
    throw new VoiceAgentsError(`The value after ${before} must be an id or a version, not ${describe(text)}.`);
  }
  try {
    return encodeURIComponent(text);
  } catch {
    throw new VoiceAgentsError(
      `The value after ${before} must be an id or a version, not text with unpaired surrogates.`,
    );
  }
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'empty' : `"${value}"`;
  return value === null ? 'null' : typeof value;
}
