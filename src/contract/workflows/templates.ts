import { endOfString, parseForeignJson } from '../foreign-json.ts';

/** `{{path}}`, with what follows it. */
export interface Template {
  readonly path: string;
  /** `default`: what stands for a missing value. */
  readonly fallback: { readonly value: unknown } | null;
  /** `local_date` and `local_time`: how a time is written. */
  readonly local: { readonly as: 'date' | 'time'; readonly timeZone: string } | null;
}

/** A text in its order: literal texts and templates. */
export type TemplateText = readonly (string | Template)[];

const maxPathLength = 500;
const maxPathNames = 64;
const secretPath = /^secrets\.([A-Z][A-Z0-9_]{0,63})$/;
const endOfPath = /[|{}]/g;
const space = /\s*/y;
const filterName = /\s*([A-Za-z_]+)\s*(:?)\s*/y;
const plainValue = /[-+.0-9A-Za-z]+/y;

export class TemplateSyntaxError extends Error {}

/**
 * Throws a TemplateSyntaxError for `{{` that does not begin a template. `isZone` is asked about each name of a time zone:
 * `Intl` takes a tenth of a millisecond, and a definition has room for thousands.
 */
export function parseTemplates(text: string, isZone: (name: string) => boolean): TemplateText {
  const parts: (string | Template)[] = [];
  let from = 0;
  for (let start = text.indexOf('{{'); start !== -1; start = text.indexOf('{{', from)) {
    if (start > from) parts.push(text.slice(from, start));
    const { template, end } = templateAt(text, start + 2, isZone);
    parts.push(template);
    from = end;
  }
  if (from < text.length || parts.length === 0) parts.push(text.slice(from));
  return parts;
}

/** The secret that a template names. */
export function secretOf({ path }: Template): string | undefined {
  return secretPath.exec(path)?.[1];
}

/** Its literal texts only. */
export function literalsOf(text: TemplateText): string {
  return text.filter((part) => typeof part === 'string').join('');
}

function templateAt(
  text: string,
  start: number,
  isZone: (name: string) => boolean,
): { readonly template: Template; readonly end: number } {
  endOfPath.lastIndex = start;
  let place = endOfPath.exec(text)?.index ?? text.length;
  const path = text.slice(start, place).trim();
  const isTooLong = path.length > maxPathLength || path.split('.').length > maxPathNames;
  if (path === '' || isTooLong) throw new TemplateSyntaxError(mustBeTemplate);
  let fallback: Template['fallback'] = null;
  let local: Template['local'] = null;
  while (text.charAt(place) === '|') {
    const filter = filterAt(text, place + 1);
    if (filter.name === 'default') {
      if (fallback !== null) throw new TemplateSyntaxError('must have one default only in each template');
      fallback = { value: filter.value };
    } else {
      if (local !== null) throw new TemplateSyntaxError('must have one of local_date and local_time in each template');
      local = { as: filter.name === 'local_date' ? 'date' : 'time', timeZone: timeZoneOf(filter.value, isZone) };
    }
    place = filter.end;
  }
  if (!text.startsWith('}}', place)) throw new TemplateSyntaxError(mustBeTemplate);
  return { template: { path, fallback, local }, end: place + 2 };
}

const mustBeTemplate =
  'contains {{, which must begin a template such as {{call.externalId}} or {{call.externalId | default: null}}';

function filterAt(text: string, start: number) {
  filterName.lastIndex = start;
  const [whole, name = '', colon] = filterName.exec(text) ?? [];
  if (whole === undefined || colon === '' || !['default', 'local_date', 'local_time'].includes(name)) {
    throw new TemplateSyntaxError('must have default: <JSON>, local_date: "<zone>" or local_time: "<zone>" after |');
  }
  const valueStart = start + whole.length;
  const valueEnd = endOfJson(text, valueStart);
  space.lastIndex = valueEnd;
  const end = valueEnd + (space.exec(text)?.[0].length ?? 0);
  try {
    return { name, value: parseForeignJson(text.slice(valueStart, valueEnd)), end };
  } catch {
    throw new TemplateSyntaxError(`must have a JSON value after ${name}, such as "none"`);
  }
}

/** Where a JSON value ends, if it is one. */
function endOfJson(text: string, start: number): number {
  const first = text.charAt(start);
  if (first === '"') return endOfString(text, start) + 1;
  if (first !== '{' && first !== '[') {
    plainValue.lastIndex = start;
    return start + (plainValue.exec(text)?.[0].length ?? 0);
  }
  let depth = 0;
  for (let place = start; place < text.length; place += 1) {
    const character = text.charAt(place);
    if (character === '"') place = endOfString(text, place);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return place + 1;
    }
  }
  return text.length;
}

function timeZoneOf(value: unknown, isZone: (name: string) => boolean): string {
  if (typeof value === 'string' && isZone(value)) return value;
  throw new TemplateSyntaxError('must name a time zone after local_date and local_time, such as "Asia/Tokyo"');
}
