/**
 * Converts the schemas of the OpenAPI document to TypeScript for the SDK. Fails on JSON Schema features that they do
 * not use.
 */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const referencePrefix = '#/components/schemas/';
const lineWidth = 120;
/** Keywords that leave any value possible. */
const annotations: ReadonlySet<string> = new Set(['description', 'examples', 'default']);

/** The whole file, before formatting. `added` are schemas of requests that the document does not have. */
export function sdkTypes({ paths, components }: OpenApiDocument, added: Readonly<Record<string, Schema>> = {}): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const requests = withNamedParts(new Set(operations.flatMap(bodyNames)), { ...added, ...components.schemas });
  const declarations = Object.entries(components.schemas).map(([name, schema]) =>
    declaration(typeName(name), schema, requests.has(name)),
  );
  const queries = operations.flatMap((operation) => {
    const query = querySchema(operation);
    return query === null ? [] : [declaration(queryName(operation.operationId), query, true)];
  });
  const own = Object.entries(added).map(([name, schema]) => declaration(name, schema, true));
  const head = '// Generated from openapi.json by "npm run generate": do not edit.\n';
  const imported = "import type { MergePatch } from './merge-patch.ts';\n";
  return [head, imported, ...declarations, ...own, ...queries].join('\n');
}

function bodyNames({ requestBody }: Operation): string[] {
  return Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
    schema.$ref === undefined ? [] : [schema.$ref.replace(referencePrefix, '')],
  );
}

/** The names, and those of the schemas that they refer to. */
function withNamedParts(names: Set<string>, schemas: Readonly<Record<string, Schema>>): Set<string> {
  // A set also visits what is added to it during the iteration.
  for (const name of names) {
    for (const [, part = ''] of JSON.stringify(schemas[name] ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      names.add(part);
  }
  return names;
}

function querySchema({ summary, parameters }: Operation): Schema | null {
  const own = parameters.filter((parameter) => parameter.in === 'query');
  if (own.length === 0) return null;
  const properties = own.map(({ name, description = '', schema }) => [name, { ...schema, description }] as const);
  return {
    type: 'object',
    description: `${summary}: what to look for.`,
    properties: Object.fromEntries(properties),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** `agents.versions.list` is `ListAgentVersionsQuery`. */
export function queryName(operationId: string): string {
  const words = operationId.split('.');
  const verb = words.pop() as string;
  const nouns = words.map((word, place) =>
    verb === 'list' && place === words.length - 1 ? word : word.replace(/s$/, ''),
  );
  return `${[verb, ...nouns].map(capitalized).join('')}Query`;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** `Error` is already a global name. */
function typeName(name: string): string {
  return name === 'Error' ? 'ErrorBody' : name;
}

function declaration(name: string, schema: Schema, isRequest: boolean): string {
  const comment = commentOf(schema, '');
  const type = typeOf(schema, isRequest, '');
  return type.startsWith('{') && (schema.anyOf ?? schema.oneOf) === undefined
    ? `${comment}export interface ${name} ${type}\n`
    : `${comment}export type ${name} = ${type};\n`;
}

function typeOf(schema: Schema, isRequest: boolean, indent: string): string {
  // A definition inside of a schema is any JSON.
  if (schema.$ref?.startsWith('#/$defs/') === true) return 'unknown';
  if (schema.$ref !== undefined) return typeName(schema.$ref.replace(referencePrefix, ''));
  if (schema.not !== undefined) return 'never';
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) return union.map((part) => typeOf(part, isRequest, indent)).join(' | ');
  if (Array.isArray(schema.type)) {
    return schema.type.map((type: string) => typeOf({ ...schema, type }, isRequest, indent)).join(' | ');
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array': {
      const { prefixItems } = schema;
      if (prefixItems !== undefined)
        return `[${prefixItems.map((part) => typeOf(part, isRequest, indent)).join(', ')}]`;
      const item = typeOf(schema.items ?? {}, isRequest, indent);
      return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectType(schema, isRequest, indent);
    case undefined: {
      const other = Object.keys(schema).find((keyword) => !annotations.has(keyword));
      if (other !== undefined) throw new Error(`no TypeScript for the JSON Schema keyword "${other}"`);
      return 'unknown';
    }
    default:
      throw new Error(`no TypeScript for the JSON Schema type "${schema.type}"`);
  }
}

function objectType(schema: Schema, isRequest: boolean, indent: string): string {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  // An object of any names, such as variables.
  if (typeof others === 'object') return `Record<string, ${typeOf(others, isRequest, indent)}>`;
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const isRequired = required.includes(name);
    // Optional request fields may be explicitly undefined; response fields may not.
    const type = typeOf(property, isRequest, inner);
    const whole = isRequest && !isRequired && type !== 'unknown' ? `${type} | undefined` : type;
    return `${commentOf(property, inner)}${inner}${propertyName(name)}${isRequired ? '' : '?'}: ${whole};\n`;
  });
  if (others === true) lines.push(`${inner}[name: string]: unknown;\n`);
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('')}${indent}}`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function literal(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** What the schema says and the type cannot express, as a doc comment with wrapped lines. */
function commentOf(schema: Schema, indent: string): string {
  const facts = [schema.description ?? '', ...boundsOf(schema), ...defaultOf(schema)].filter((fact) => fact !== '');
  if (facts.length === 0) return '';
  const text = facts.join(' ').replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ');
  if (indent.length + text.length + 7 <= lineWidth) return `${indent}/** ${text} */\n`;
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (line !== '' && indent.length + line.length + word.length + 4 > lineWidth) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function boundsOf(schema: Schema): string[] {
  // The limits of a nullable value are in its other branch.
  const [bounded = schema] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  const { type, format, minimum, maximum, minLength, maxLength, minItems, maxItems } = bounded;
  if (format === 'date-time') return ['A date and time as in ISO 8601.'];
  if (type === 'array') return span(minItems, maxItems, ' items');
  if (type === 'string') return span(minLength, maxLength, ' characters');
  return span(minimum, maximum, '').map((text) => (type === 'integer' ? `A whole number: ${text}` : `Range: ${text}`));
}

function span(least: number | undefined, largest: number | undefined, unit: string): string[] {
  // What every whole number in JSON is bounded by.
  const most = largest === Number.MAX_SAFE_INTEGER ? undefined : largest;
  if (least === undefined && most === undefined) return [];
  if (most === undefined) return [`${least}${unit} or more.`];
  return least === undefined ? [`Up to ${most}${unit}.`] : [`${least} to ${most}${unit}.`];
}

function defaultOf({ default: value }: Schema): string[] {
  return value === undefined
    ? []
    : [`Default: \`${typeof value === 'string' ? literal(value) : JSON.stringify(value)}\`.`];
}
