import { callEndReasons } from '../../../../../src/contract/calls/end-reasons.ts';
import { isRecord } from '../../../parts/json-value.ts';

export interface Leaf {
  readonly field: string;
  readonly op: string;
  readonly value: unknown;
}

export const operators = ['eq', 'ne', 'in', 'lt', 'lte', 'gt', 'gte', 'contains', 'startsWith', 'exists'] as const;

/** A new condition: whether the call went well is what most workflows ask. */
export const newLeaf: Leaf = { field: 'analysis.successful', op: 'eq', value: true };

type Kind = 'text' | 'number' | 'boolean' | 'any';

const numbers = /^(?:agentVersion|durationMs|latency\..+|usage\..+|steps\.[^.]+\.statusCode)$/;
const free = /^(?:analysis\.data|metadata|variables|collectedVariables|steps\.[^.]+\.output)\./;

export function kindOf(field: string): Kind {
  if (field === 'analysis.successful') return 'boolean';
  if (numbers.test(field)) return 'number';
  return free.test(field) ? 'any' : 'text';
}

const known: Readonly<Record<string, readonly string[]>> = {
  type: ['chat', 'web', 'phone'],
  direction: ['inbound', 'outbound'],
  status: ['ended', 'not_connected', 'error'],
  endReason: callEndReasons,
  'analysis.status': ['completed', 'failed', 'skipped'],
  'analysis.sentiment': ['positive', 'neutral', 'negative', 'mixed'],
};

/** What a field usually is compared with. */
export function valuesOfField(field: string): readonly string[] {
  if (kindOf(field) === 'boolean') return ['true', 'false'];
  if (/^steps\.[^.]+\.status$/.test(field)) return ['succeeded', 'failed'];
  return known[field] ?? [];
}

export function isLeaf(filter: unknown): filter is Leaf {
  return isRecord(filter) && typeof filter.field === 'string' && typeof filter.op === 'string';
}

/** The value as it is typed. A text that looks like something else is in quotes. */
export function typedValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(typedValue).join(', ');
  if (typeof value !== 'string') return value === undefined ? '' : JSON.stringify(value);
  return typeof scalar(value) === 'string' ? value : JSON.stringify(value);
}

/** What was typed, as the field and the operator take it. */
export function valueTyped(text: string, { field, op }: Pick<Leaf, 'field' | 'op'>): unknown {
  if (op === 'in') {
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) => one(item, field));
  }
  return op === 'contains' || op === 'startsWith' ? text : one(text, field);
}

function one(text: string, field: string): unknown {
  return kindOf(field) === 'text' ? text : scalar(text);
}

function scalar(text: string): unknown {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return /^".*"$/s.test(text) ? unquoted(text) : text;
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Another operator may take another kind of value. */
export function withOperator(leaf: Leaf, op: string): Leaf {
  if (op === 'exists') return { ...leaf, op, value: leaf.op === 'exists' ? leaf.value : true };
  if (leaf.op === 'exists') return { ...leaf, op, value: valueTyped('', { field: leaf.field, op }) };
  return { ...leaf, op, value: valueTyped(typedValue(leaf.value), { field: leaf.field, op }) };
}

/** The same text may mean another value for another field. */
export function withField(leaf: Leaf, field: string): Leaf {
  if (leaf.op === 'exists') return { ...leaf, field };
  return { ...leaf, field, value: valueTyped(typedValue(leaf.value), { field, op: leaf.op }) };
}
