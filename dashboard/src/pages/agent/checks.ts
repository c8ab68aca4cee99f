import type { FieldErrors } from '../../../../sdk/src/index.ts';
import { findingsOf } from '../../parts/field-errors.ts';
import { type FieldRules, fields } from './fields.ts';
import type { AgentTexts } from './texts.ts';
import { canBePatched, isObject, Unreadable, type Values } from './values.ts';

/** Problems by path: `voiceSpeed`, `pronunciationDictionary.3.find`. */
export type Issues = Readonly<Record<string, readonly string[]>>;

/** Checks the rules of the OpenAPI document; the service checks everything else and reports it. */
export function check(values: Values, base: Values | null, texts: AgentTexts): Issues {
  const issues: Record<string, string[]> = {};
  const add = (path: string, message: string) => {
    issues[path] = [...(issues[path] ?? []), message];
  };
  for (const { name, rules } of fields) {
    const value = values[name];
    // Unchanged values are not checked, even if they violate a rule.
    if (base !== null && value === base[name]) continue;
    checkValue(value, rules, name, texts, add);
    if (base !== null && !canBePatched(base[name], value)) add(name, texts.issueNullInside);
  }
  return issues;
}

type Add = (path: string, message: string) => void;

function checkValue(value: unknown, rules: FieldRules, path: string, texts: AgentTexts, add: Add): void {
  if (value instanceof Unreadable) {
    const isNumber = rules.type === 'number' || rules.type === 'integer';
    add(path, isNumber ? texts.issueNumber : texts.issueJson);
  } else if (value === undefined || value === null) {
    if (rules.isRequired) add(path, texts.issueRequired);
  } else if (rules.type === 'array') checkList(value, rules, path, texts, add);
  else if (typeof value === 'string') checkText(value, rules, path, texts, add);
  else if (typeof value === 'number') checkNumber(value, rules, path, texts, add);
  else if (rules.parts !== undefined && isObject(value)) {
    for (const [part, inner] of Object.entries(rules.parts)) {
      checkValue(value[part], inner, `${path}.${part}`, texts, add);
    }
  }
}

function checkText(value: string, rules: FieldRules, path: string, texts: AgentTexts, add: Add): void {
  // In code points, as the service counts: an emoji is one.
  const length = [...value].length;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = rules;
  if (length < minLength) add(path, texts.issueEmpty);
  if (length > maxLength) add(path, texts.issueTooLong(maxLength));
}

function checkNumber(value: number, rules: FieldRules, path: string, texts: AgentTexts, add: Add): void {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = rules;
  if (rules.type === 'integer' && !Number.isInteger(value)) add(path, texts.issueWhole);
  else if (value < minimum) add(path, texts.issueTooSmall(minimum));
  else if (value > maximum) add(path, texts.issueTooLarge(maximum));
}

function checkList(value: unknown, rules: FieldRules, path: string, texts: AgentTexts, add: Add): void {
  if (!Array.isArray(value)) {
    add(path, texts.issueList);
    return;
  }
  const { item, maxItems = Number.POSITIVE_INFINITY } = rules;
  if (value.length > maxItems) add(path, texts.issueTooMany(maxItems));
  if (item === undefined) return;
  for (const [index, inner] of value.entries()) checkValue(inner, item, `${path}.${index}`, texts, add);
}

export function issuesOf(fieldErrors: FieldErrors, texts: AgentTexts): Issues {
  const issues: Record<string, string[]> = {};
  for (const { field, path: inner, message } of findingsOf(fieldErrors)) {
    const path = inner === '' ? field : `${field}.${inner}`;
    issues[path] = [...(issues[path] ?? []), texts.saidByService(message)];
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
