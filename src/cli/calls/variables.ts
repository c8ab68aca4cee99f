import { jsonOrText } from '../agents/fields.ts';
import { invalidUsage } from '../failures.ts';
import { visible } from '../terminal/text.ts';

export type Variables = Record<string, string | number | boolean | null>;

/** Values are JSON if they are a number, true, false or null, and text otherwise. */
export function variablesOf(assignments: readonly string[]): Variables {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const split = assignment.indexOf('=');
      if (split < 1) {
        throw invalidUsage(`--variable ${visible(assignment)}: must have the form name=value`);
      }
      return [assignment.slice(0, split), parsedValue(assignment.slice(split + 1))];
    }),
  );
}

function parsedValue(text: string): Variables[string] {
  const value = jsonOrText(text);
  return typeof value === 'object' && value !== null ? text : (value as Variables[string]);
}
