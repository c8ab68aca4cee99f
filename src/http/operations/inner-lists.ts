import { z } from 'zod';
import { check, type Issue, maxIssues } from '../../core/issues.ts';
import { isObject, unwrapped } from './schema.ts';

/**
 * Issues with strings in nested lists, such as the options of findings, up to the number that is reported. Each list
 * has a limit, but together they may hold as many strings as fit into a body, and the schema takes half a second to
 * report that many.
 */
export function issuesOfInnerLists(schema: z.ZodObject, body: Record<string, unknown>): Issue[] {
  const issues: Issue[] = [];
  for (const [field, list] of listsOf(schema)) {
    const element = unwrapped(list.element);
    const items = body[field];
    if (!(element instanceof z.ZodObject) || !isWithinMax(list, items)) continue;
    for (const [name, innerList] of listsOf(element)) {
      for (const [index, item] of items.entries()) {
        const texts = isObject(item) ? item[name] : undefined;
        if (isWithinMax(innerList, texts)) addIssues(issues, innerList.element, texts, [field, index, name]);
        if (issues.length >= maxIssues) return issues;
      }
    }
  }
  return issues;
}

function addIssues(issues: Issue[], schema: z.core.$ZodType, texts: readonly unknown[], path: PropertyKey[]): void {
  const text = unwrapped(schema);
  if (!(text instanceof z.ZodString)) return;
  const { minLength = 0, maxLength = 0 } = text.meta() ?? {};
  for (const [index, item] of texts.entries()) {
    if (issues.length >= maxIssues) return;
    // Fast path for valid items; the schema decides about the rest.
    if (typeof item === 'string' && item.length >= Number(minLength) && item.length <= Number(maxLength)) continue;
    const result = check(text, item);
    if ('issues' in result) issues.push(...result.issues.map(({ message }) => ({ path: [...path, index], message })));
  }
}

function listsOf(schema: z.ZodObject): [string, z.ZodArray][] {
  return Object.entries(schema.shape).flatMap(([name, field]): [string, z.ZodArray][] => {
    const list = unwrapped(field);
    return list instanceof z.ZodArray ? [[name, list]] : [];
  });
}

/** A list that is too long is reported as such, without its items. */
function isWithinMax(list: z.ZodArray, value: unknown): value is unknown[] {
  if (!Array.isArray(value)) return false;
  const limits = (list.def.checks ?? []).map((one) => one._zod.def as { readonly maximum?: number });
  return limits.every(({ maximum = Number.POSITIVE_INFINITY }) => value.length <= maximum);
}
