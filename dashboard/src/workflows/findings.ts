import type { FieldErrors } from '../../../sdk/src/index.ts';
import { findingsOf } from '../parts/field-errors.ts';
import { type Definition, targetOf, waysOf } from './definition.ts';

/** Something that is wrong in a definition. */
export interface Finding {
  /** `trigger`, the position of a step, or null: the workflow as a whole. */
  readonly part: 'trigger' | number | null;
  /** Its place in the part, such as `routes.0.if.field`, or the name of the field of the workflow. */
  readonly path: string;
  readonly message: string;
}

/** What the service has found: `{ steps: ["2.url: …"] }`, or with `definition` around it from a test. */
export function findingsOfService(fieldErrors: FieldErrors): readonly Finding[] {
  return findingsOf(fieldErrors).map(({ field, path, message }) => {
    const [first = '', ...rest] = [field, ...path.split('.')].filter((name) => name !== 'definition' && name !== '');
    if (first === 'trigger') return { part: 'trigger', path: rest.join('.'), message };
    const position = Number(rest[0]);
    if (first !== 'steps' || rest[0] === undefined || !Number.isInteger(position)) {
      return { part: null, path: [first, ...rest].join('.'), message };
    }
    return { part: position, path: rest.slice(1).join('.'), message };
  });
}

/** What can be seen without the service: ids, and where the ways lead. In the words of the service. */
export function findingsHere({ steps }: Definition): readonly Finding[] {
  return steps.flatMap((step, position): Finding[] => {
    const isTaken = steps.findIndex(({ id }) => id === step.id) !== position;
    const broken = waysOf(step).filter((way) => targetOf(steps, position, way) === 'broken');
    return [
      ...(isTaken ? [{ part: position, path: 'id', message: 'must be unique' }] : []),
      ...broken.map(({ path }) => ({ part: position, path, message: 'must be the id of a later step, or end' })),
    ];
  });
}

/** One list: what the service says, as long as it is about what is shown, and what can be seen here. */
export function mergedFindings(one: readonly Finding[], other: readonly Finding[]): readonly Finding[] {
  const keys = new Set(one.map(keyOf));
  return [...one, ...other.filter((finding) => !keys.has(keyOf(finding)))];
}

function keyOf({ part, path, message }: Finding): string {
  return JSON.stringify([part, path, message]);
}
