import { fixedFields, freeFormPrefixes } from '../src/contract/analytics/fields.ts';
import { aggregates, metrics } from '../src/contract/analytics/metrics.ts';

const aggregateNames = Object.keys(aggregates);

interface Row {
  readonly name: string;
  readonly unit: string | null;
  readonly definition: string;
}

/** Metrics that differ only in how values are combined are one row. */
function metricRows(): Row[] {
  const rows = new Map<string, Row>();
  for (const [name, { unit, definition }] of metrics) {
    const place = name.lastIndexOf('.');
    const [what, how] = [name.slice(0, place), name.slice(place + 1)];
    const isOneOfAll = aggregateNames.every((each) => metrics.has(`${what}.${each}`)) && aggregateNames.includes(how);
    if (!isOneOfAll) rows.set(name, { name: `\`${name}\``, unit, definition });
    // The count has another unit, and each definition ends with how its values are combined.
    else if (how === 'sum')
      rows.set(what, { name: `\`${what}.<agg>\``, unit, definition: definition.replace(/: their sum\.$/, '.') });
  }
  return [...rows.values()];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.toSpliced(1, 0, `|${'---|'.repeat(head.length)}`).join('\n');
}

const escaped = (text: string) => text.replaceAll('|', '\\|');

export function metricTable(): string {
  const aggregateTable = table(
    ['agg', 'meaning'],
    Object.entries(aggregates).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );
  const rows = metricRows().map(({ name, unit, definition }) => [name, unit ?? '', escaped(definition)]);
  return `${table(['metric', 'unit', 'definition'], rows)}\n\n${aggregateTable}\n`;
}

export function fieldTable(): string {
  const fixed = [...fixedFields].map(([name, { type, definition, isDimension }]) => [
    `\`${name}\``,
    type,
    isDimension ? 'yes' : '',
    escaped(definition),
  ]);
  const free = Object.entries(freeFormPrefixes).map(([prefix, definition]) => [
    `\`${prefix}<name>\``,
    'any',
    'yes',
    escaped(definition),
  ]);
  return `${table(['field', 'type', 'dimension', 'definition'], [...fixed, ...free])}\n`;
}

/** Replaces what is between the markers of docs/analytics.md. */
export function withAnalyticsTables(document: string): string {
  return replaced(replaced(document, 'metrics', metricTable()), 'fields', fieldTable());
}

function replaced(document: string, name: string, content: string): string {
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`];
  const from = document.indexOf(start);
  const until = document.indexOf(end);
  if (from === -1 || until === -1) throw new Error(`docs/analytics.md has no place for the ${name}`);
  return `${document.slice(0, from + start.length)}\n\n${content}\n${document.slice(until)}`;
}
