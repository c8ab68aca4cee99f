import { fixedFields, freeFormPrefixes } from '../../contract/analytics/fields.ts';
import type { AnalyticsFieldEntry } from '../../contract/analytics/list-fields.ts';
import { metrics } from '../../contract/analytics/metrics.ts';
import type { SeenName } from './query/job.ts';

const fixed: readonly AnalyticsFieldEntry[] = [
  ...[...metrics].map(([name, { type, unit, definition, example }]) => ({
    kind: 'metric' as const,
    ...{ name, type, unit, definition, example },
  })),
  ...entriesOfFields(true),
  ...entriesOfFields(false),
];

/** Everything that a query can name. */
export function fieldList(seen: readonly SeenName[]): AnalyticsFieldEntry[] {
  const freeForm = seen.map(({ name, types }): AnalyticsFieldEntry => {
    const [type, ...others] = types;
    return {
      kind: 'dimension',
      name,
      type: type === undefined || others.length > 0 ? 'any' : type,
      unit: null,
      definition: definitionOf(name),
      example: null,
    };
  });
  return [...fixed, ...freeForm];
}

function entriesOfFields(isDimension: boolean): AnalyticsFieldEntry[] {
  return [...fixedFields].flatMap(([name, field]) => {
    if (field.isDimension !== isDimension) return [];
    const { type, unit, definition, example } = field;
    return [{ kind: isDimension ? ('dimension' as const) : ('field' as const), name, type, unit, definition, example }];
  });
}

function definitionOf(name: string): string {
  const known = Object.entries(freeFormPrefixes).find(([prefix]) => name.startsWith(prefix));
  return known?.[1] ?? '';
}
