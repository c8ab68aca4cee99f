import type { FieldErrors } from '../../../../sdk/src/index.ts';
import { findingsOf } from '../../parts/field-errors.ts';
import { type FieldRules, fields } from './fields.ts';
import type { AgentTexts } from './texts.ts';
import { canBePatched, isObject, Unreadable, type Values } from './values.ts';

/** Problems by path: `voiceSpeed`, `pronunciationDictionary.3.find`. */
export type Issues = Readonly<Record<string, readonly string[]>>;

/** Checks the rules of the OpenAPI document; the service checks everything else and reports it. */
export function check(values: Values, base: Values | null, texts: AgentTexts): Issues {
  return checkFields(values, base, texts, () => true);
}

/** What is wrong however the input goes on: numbers out of their range, texts and lists that are too long. */
export function checkLimits(values: Values, base: Values | null, texts: AgentTexts): Issues {
  return checkFields(values, base, texts, (_, value) => !isUnfinished(value));
}

/** Nothing yet, or something that is being typed. */
function isUnfinished(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value instanceof Unreadable;
}

type Wanted = (rules: FieldRules, value: unknown) => boolean;

function checkFields(values: Values, base: Values | null, texts: AgentTexts, isWanted: Wanted): Issues {
  const issues: Record<string, string[]> = {};
  const add = (path: string, message: string) => {
    issues[path] = [...(issues[path] ?? []), message];
  };
  for (const { name, rules, unit } of fields) {
    const value = values[name];
    // Unchanged values are not checked, even if they violate a rule.
    if (base !== null && value === base[name]) continue;
    const context = { texts, add, isWanted, scale: unit === 'ms' ? 1000 : 1 };
    checkValue(value, rules, name, context);
    if (base !== null && !canBePatched(base[name], value)) add(name, texts.issueNullInside);
  }
  return issues;
}

type Add = (path: string, message: string) => void;

interface Context {
  readonly texts: AgentTexts;
  readonly add: Add;
  readonly isWanted: Wanted;
  /** By what a number is divided where it is shown. */
  readonly scale: number;
}

function checkValue(value: unknown, rules: FieldRules, path: string, context: Context): void {
  const { texts, add, isWanted } = context;
  if (!isWanted(rules, value)) return;
  if (value instanceof Unreadable) {
    const isNumber = rules.type === 'number' || rules.type === 'integer';
    add(path, isNumber ? texts.issueNumber : texts.issueJson);
  } else if (value === undefined || value === null) {
    if (rules.isRequired) add(path, texts.issueRequired);
  } else if (rules.type === 'array') checkList(value, rules, path, context);
  else if (typeof value === 'string') checkText(value, rules, path, context);
  else if (typeof value === 'number') checkNumber(value, rules, path, context);
  else if (rules.parts !== undefined && isObject(value)) {
    for (const [part, inner] of Object.entries(rules.parts)) {
      checkValue(value[part], inner, `${path}.${part}`, context);
    }
  }
}

function checkText(value: string, rules: FieldRules, path: string, { texts, add }: Context): void {
  // In code points, as the service counts: an emoji is one.
  const length = [...value].length;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = rules;
  if (length < minLength) add(path, texts.issueEmpty);
  if (length > maxLength) add(path, texts.issueTooLong(maxLength));
}

function checkNumber(value: number, rules: FieldRules, path: string, { texts, add, scale }: Context): void {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = rules;
  if (rules.type === 'integer' && !Number.isInteger(value)) add(path, texts.issueWhole);
  else if (value < minimum) add(path, texts.issueTooSmall(minimum / scale));
  else if (value > maximum) add(path, texts.issueTooLarge(maximum / scale));
}

function checkList(value: unknown, rules: FieldRules, path: string, context: Context): void {
  const { texts, add } = context;
  if (!Array.isArray(value)) {
    add(path, texts.issueList);
    return;
  }
  const { item, maxItems = Number.POSITIVE_INFINITY } = rules;
  if (value.length > maxItems) add(path, texts.issueTooMany(maxItems));
  if (item === undefined) return;
  for (const [index, inner] of value.entries()) checkValue(inner, item, `${path}.${index}`, context);
}

export function issuesOf(fieldErrors: FieldErrors, texts: AgentTexts): Issues {
  const issues: Record<string, string[]> = {};
  for (const { field, path: inner, message } of findingsOf(fieldErrors)) {
    const path = inner === '' ? field : `${field}.${inner}`;
    const isDuration = fieldAt(path)?.unit === 'ms';
    const shown = isDuration ? message.replace(/\d+$/, (limit) => String(Number(limit) / 1000)) : message;
    issues[path] = [...(issues[path] ?? []), texts.saidByService(shown)];
  }
  return inFormOrder(issues);
}

function inFormOrder(issues: Issues): Issues {
  const place = (path: string) => fields.findIndex(({ name }) => name === fieldAt(path)?.name);
  return Object.fromEntries(Object.entries(issues).toSorted(([one], [other]) => place(one) - place(other)));
}

/** The form field that displays the issues at a path. */
export function fieldAt(path: string) {
  return fields.find(({ name }) => path === name || path.startsWith(`${name}.`));
}

/** The issues of a field and of everything nested in it. */
export function issuesWithin(issues: Issues, name: string): Issues {
  const within = Object.entries(issues).filter(([path]) => path === name || path.startsWith(`${name}.`));
  return Object.fromEntries(within);
}
