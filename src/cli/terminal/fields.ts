import { paint } from '../context.ts';
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

/** A title and fields, followed by titled groups of fields. Groups without fields are left out. */
export function describeGroups(
  title: string,
  fields: object,
  groups: Readonly<Record<string, object>>,
  stream: NodeJS.WriteStream,
): string {
  const shown = Object.entries(groups).filter(([, inner]) => Object.keys(inner).length > 0);
  const texts = shown.map(
    ([name, inner]) => `\n${paint('bold', name, stream)}\n${describeFields(Object.entries(inner))}`,
  );
  return `${title}\n${describeFields(Object.entries(fields))}${texts.join('')}`;
}

/** Without null, {} and []. */
export function withoutEmpty(fields: object): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

/** Short lines, each with its label. */
export function labelled(lines: readonly (readonly [label: string, text: string])[]): string {
  return `\n${lines.map(([label, text]) => `  ${label.padEnd(9)}  ${visible(text)}`).join('\n')}\n\n`;
}
