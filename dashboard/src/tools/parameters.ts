import { isRecord } from '../parts/json-value.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A property of the parameters of a tool. What the table does not show stays in the schema. */
export interface Parameter {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export const kinds = ['string', 'number', 'integer', 'boolean', 'date', 'list'] as const;
/** `other` is what only the JSON can say. */
export type Kind = (typeof kinds)[number] | 'other';

/** Null if a table cannot show the schema. */
export function parametersIn(parameters: unknown): readonly Parameter[] | null {
  if (!isRecord(parameters)) return null;
  const { properties = {}, required = [] } = parameters;
  if (!isRecord(properties) || !Object.values(properties).every(isRecord) || !Array.isArray(required)) return null;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: schema as Schema,
    isRequired: required.includes(name),
  }));
}

export function withParameters(parameters: unknown, rows: readonly Parameter[]): Schema {
  const { required: _, ...rest } = isRecord(parameters) ? parameters : {};
  const properties = Object.fromEntries(rows.map(({ name, schema }) => [name, schema]));
  const required = rows.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { type: 'object', ...rest, properties, ...(required.length > 0 && { required }) };
}

export function kindOf({ type, format, items }: Schema): Kind {
  if (type === 'string' && format === 'date') return 'date';
  if (type === 'array') return isRecord(items) && items.type === 'string' ? 'list' : 'other';
  return type === 'string' || type === 'number' || type === 'integer' || type === 'boolean' ? type : 'other';
}

const schemas: Readonly<Record<Exclude<Kind, 'other'>, Schema>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  list: { type: 'array', items: { type: 'string' } },
};

/** The property with another type. Only what describes it stays. */
export function withKind({ description }: Schema, kind: Kind): Schema {
  return { ...(kind === 'other' ? {} : schemas[kind]), ...(description !== undefined && { description }) };
}

/** Whether a property of this type can have a list of allowed values. */
export function hasChoices(kind: Kind): boolean {
  return kind === 'string' || kind === 'number' || kind === 'integer';
}

/** The allowed values as one text. Null if they cannot be told apart in it. */
export function choicesText({ enum: choices }: Schema): string | null {
  if (choices === undefined) return '';
  if (!Array.isArray(choices)) return null;
  const isPlain = (value: unknown) =>
    typeof value === 'number' || (typeof value === 'string' && value.trim() === value && !/[,、\n]|^$/.test(value));
  return choices.every(isPlain) ? choices.join(', ') : null;
}

export function withChoices(schema: Schema, text: string): Schema {
  const { enum: _, ...rest } = schema;
  const words = text.split(/[,、\n]/).flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
  const isNumber = kindOf(schema) !== 'string';
  const values = words.map((word) => (isNumber && Number.isFinite(Number(word)) ? Number(word) : word));
  return values.length === 0 ? rest : { ...rest, enum: [...new Set(values)] };
}

/** What a test sends if nobody says otherwise, as it is typed. What is optional is left out if no example is known. */
export function exampleText({ schema, isRequired }: Parameter, today: string): string {
  const { examples, default: usual, const: only, enum: choices } = schema;
  const known = [...listOf(examples), usual, only, ...(isRequired ? listOf(choices) : [])];
  const [example] = known.filter((value) => value !== undefined);
  if (example === undefined) return isRequired && kindOf(schema) === 'date' ? today : '';
  if (Array.isArray(example) && example.every((item) => typeof item === 'string')) return example.join(', ');
  return typeof example === 'string' ? example : JSON.stringify(example);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What was typed for a parameter, as its type says. Undefined: nothing, so that it is left out. */
export function argumentOf({ schema }: Parameter, text: string): unknown {
  if (text === '') return undefined;
  const kind = kindOf(schema);
  if (kind === 'string' || kind === 'date') return text;
  if (kind === 'list') return text.split(/[,、]/).flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
  try {
    return JSON.parse(text);
  } catch {
    // The service says what is wrong with it.
    return text;
  }
}
