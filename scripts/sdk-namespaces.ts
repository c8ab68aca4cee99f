import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AreaContract } from '../src/contract/area.ts';
import { isRepeatable, type Operation } from '../src/contract/operation.ts';
import { type OpenApiDocument, queryName, referencePrefix } from './sdk-types.ts';

/** Operations of one namespace of the client, such as `secrets`. */
interface Namespace {
  readonly name: string;
  readonly className: string;
  readonly operations: Operation[];
  readonly inner: Map<string, Namespace>;
}

/**
 * The namespaces of the client, from the operation table. One with a file in `sdk/src/resources` is written by hand,
 * because it does more than its operations; all others are generated completely.
 */
export function sdkNamespaces(root: string, contracts: readonly AreaContract[], document: OpenApiDocument): string {
  const namespaces = [...namespacesOf(contracts.flatMap(({ operations }) => operations)).values()];
  const isWritten = ({ name }: Namespace): boolean => existsSync(join(root, 'sdk', 'src', fileOf(name)));
  const written = namespaces.filter(isWritten);
  const classes = namespaces.filter((namespace) => !isWritten(namespace)).flatMap((each) => classesOf(each, document));
  const words = new Set(classes.join().match(/\w+/g) ?? []);
  const used = (...names: readonly string[]): string =>
    names.filter((name) => words.has(name.replace('type ', ''))).join(', ');
  const types = [...words].filter((word) => isType(word, document)).sort(byLetters);
  const fields = namespaces.map(({ name, className }) => `readonly ${name}: ${className};`);
  const values = namespaces.map(({ name, className }) => `this.${name} = new ${className}(transport);`);
  return `// Generated from the operations of the API by "npm run generate": do not edit.
import type { ApiPromise } from './api-promise.ts';
import type { PagePromise } from './page.ts';
import { path } from './path.ts';
import { ${used('type ConditionalOptions', 'joinedQuery', 'type RepeatableOptions', 'type RequestOptions', 'type Transport')} } from './request.ts';
${written
  .map(({ name, className }) => `import { ${className} } from './${fileOf(name)}';`)
  .sort(byPath)
  .join('\n')}
import type { ${types.join(', ')} } from './schema.ts';

/** The client's namespaces, one per resource. */
export class Namespaces {
  ${fields.join('\n  ')}

  constructor(transport: Transport) {
    ${values.join('\n    ')}
  }
}

${classes.join('\n')}`;
}

function byPath(one: string, other: string): number {
  const [first = '', second = ''] = [one, other].map((line) => line.split(' from ')[1]);
  return first < second ? -1 : 1;
}

/** As the linter sorts names. */
function byLetters(one: string, other: string): number {
  return one.toLowerCase() < other.toLowerCase() ? -1 : 1;
}

function namespacesOf(operations: readonly Operation[]): Map<string, Namespace> {
  const namespaces = new Map<string, Namespace>();
  for (const operation of operations) {
    const names = operation.id.split('.').slice(0, -1);
    let level = namespaces;
    let namespace: Namespace | undefined;
    let className = '';
    for (const name of names) {
      className = `${className.replace(/s$/, '')}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      namespace = level.get(name) ?? { name, className, operations: [], inner: new Map() };
      level.set(name, namespace);
      level = namespace.inner;
    }
    namespace?.operations.push(operation);
  }
  return namespaces;
}

function fileOf(name: string): string {
  return `resources/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
}

/** The class of a namespace, after those of the namespaces in it. */
function classesOf({ className, operations, inner }: Namespace, document: OpenApiDocument): string[] {
  const parts = [...inner.values()];
  const fields = parts.map((part) => `readonly ${part.name}: ${part.className};`);
  const values = parts.map((part) => `this.${part.name} = new ${part.className}(transport);`);
  const own = `export class ${className} {
  ${[...fields, 'readonly #transport: Transport;'].join('\n  ')}

  constructor(transport: Transport) {
    ${['this.#transport = transport;', ...values].join('\n    ')}
  }

${operations.flatMap((operation) => methodOf(operation, document)).join('\n')}}
`;
  return [...parts.flatMap((part) => classesOf(part, document)), own];
}

/** None for an operation whose response is not JSON: its client is written by hand. */
function methodOf(operation: Operation, document: OpenApiDocument): string[] {
  const { id, method, path, summary, condition } = operation;
  const described = document.paths[path]?.[method.toLowerCase()];
  const response = nameOf(
    id,
    described?.responses[String(operation.success.status)]?.content?.['application/json']?.schema,
  );
  if (described === undefined || response === null) return [];
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string`);
  const query = described.parameters.filter((parameter) => parameter.in === 'query');
  const queries =
    query.length === 0 ? [] : [`query: ${queryName(id)}${query.some((each) => each.required) ? '' : ' = {}'}`];
  const body = nameOf(id, Object.values(described.requestBody?.content ?? {})[0]?.schema);
  const bodies = body === null ? [] : [`body${operation.isBodyOptional ? '?' : ''}: ${body}`];
  const options = [
    'RequestOptions',
    ...(isRepeatable(operation) ? ['RepeatableOptions'] : []),
    ...(condition === undefined ? [] : ['ConditionalOptions']),
  ].join(' & ');
  const given = [...params, ...queries, ...bodies, `options?: ${options}`].join(', ');
  const address = `path\`${path.replaceAll('{', '${')}\``;
  const { items, pagination } = document.components.schemas[response]?.properties ?? {};
  const isList = method === 'GET' && pagination !== undefined;
  const asked = queries.length === 0 ? '{}' : 'joinedQuery(query)';
  const parts = [
    `method: '${method}'`,
    `path: ${address}`,
    ...(queries.length === 0 ? [] : [`query: ${asked}`]),
    ...(body === null ? [] : ['body']),
    'options',
  ];
  const [result, call] = isList
    ? [`PagePromise<${nameOf(id, items?.items)}>`, `list(${address}, ${asked}, options)`]
    : [`ApiPromise<${response}>`, `request({ ${parts.join(', ')} })`];
  return [
    `  /** ${summary}. */
  ${id.split('.').at(-1)}(${given}): ${result} {
    return this.#transport.${call};
  }
`,
  ];
}

function nameOf(operationId: string, schema: { readonly $ref?: string } | undefined): string | null {
  if (schema === undefined) return null;
  if (schema.$ref === undefined) throw new Error(`${operationId} has a schema without a name: add .meta({ id: … })`);
  return schema.$ref.replace(referencePrefix, '');
}

function isType(name: string, { components }: OpenApiDocument): boolean {
  return Object.hasOwn(components.schemas, name) || /^[A-Z]\w*Query$/.test(name);
}
