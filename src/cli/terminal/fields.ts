import { cells, jsonLine, visible, visibleLines } from './text.ts';

/** Fields below each other. Objects are flattened, each member with its path, which is what `--set` takes. */
export function describeFields(rows: readonly (readonly [string, unknown])[]): string {
  const flat = rows.flatMap(([field, value]) => flattened(field, value));
  const width = flat.reduce((most, [field]) => Math.max(most, cells(field)), 0);
  return flat
    .map(([field, value]) => {
      const [first = '', ...more] = describeValue(value);
      const indent = ' '.repeat(width + 4);
      const padding = ' '.repeat(width - cells(field));
      return `${[`  ${field}${padding}  ${first}`.trimEnd(), ...more.map((line) => `${indent}${line}`.trimEnd())].join('\n')}\n`;
    })
    .join('');
}

function flattened(field: string, value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[visible(field), value]];
  return Object.entries(value).flatMap(([name, inner]) => flattened(`${field}.${name}`, inner));
}

export function describeValue(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? ['""'] : visibleLines(value);
  if (value === null || value === undefined) return ['—'];
  if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
    return value.length === 0 ? ['[]'] : value.map((item) => jsonLine(item).trimEnd());
  }
  return [jsonLine(value).trimEnd()];
}
