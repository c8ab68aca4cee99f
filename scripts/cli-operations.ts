import type { PathParameter, QueryParameter, ResourceOperation } from '../src/cli/resources/operation.ts';

/** The parts of an OpenAPI document that commands are derived from. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

interface DocumentOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly examples?: readonly unknown[];
}

/** Parameters that the command line sends itself. */
const ownParameters = ['limit', 'cursor', 'waitSeconds'];

/** The operations that get a command without code of their own: those that list, get or delete something. */
export function resourceOperations(document: object): ResourceOperation[] {
  const { paths, components } = document as Document;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, { operationId }]) => isResourceOperation(method, operationId))
      .map(([, { operationId, summary, parameters = [], responses }]) => {
        const resolved = parameters.map((parameter) =>
          '$ref' in parameter
            ? (components.parameters[parameter.$ref.slice('#/components/parameters/'.length)] as Parameter)
            : parameter,
        );
        const sendsEtag = responses['200']?.headers?.ETag !== undefined;
        return { id: operationId, path, summary, ...reduced(resolved, sendsEtag) };
      }),
  );
}

function isResourceOperation(method: string, id: string): boolean {
  return (method === 'get' && /\.(list|get)$/.test(id)) || (method === 'delete' && id.endsWith('.delete'));
}

function reduced(
  parameters: readonly Parameter[],
  sendsEtag: boolean,
): Omit<ResourceOperation, 'id' | 'path' | 'summary'> {
  const isIn = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const query = isIn('query');
  return {
    params: isIn('path').map(pathParameter),
    query: query.filter(({ name }) => !ownParameters.includes(name)).map(queryParameter),
    ...(query.some(({ name }) => name === 'cursor') && { isPaged: true }),
    ...((sendsEtag || isIn('header').some(({ name }) => name === 'If-Match')) && { hasEtag: true }),
  };
}

function pathParameter({ name, description = '', schema }: Parameter): PathParameter {
  return {
    name,
    noun: /^The \w+ of the ([\w ]+)\.$/.exec(description)?.[1] ?? name,
    example: exampleOf(schema) || '…',
  };
}

function queryParameter({ name, required, description = '', schema }: Parameter): QueryParameter {
  const values = schema.enum ?? schema.items?.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
  return {
    name,
    description: helpText(description),
    example: exampleOf(schema),
    ...(required && { isRequired: true }),
    ...(schema.type === 'array' && { isList: true }),
    ...(schema.format === 'date-time' && { isTime: true }),
    ...(values && { values }),
  };
}

/** An id without its random part, which nobody can use. */
function exampleOf({ examples: [first] = [] }: Schema): string {
  const text = Array.isArray(first) ? first.join(',') : String(first ?? '');
  return text.replace(/^([a-z]+)_\w{30}$/, '$1_…');
}

/** The first sentence, as the help of an option. */
function helpText(description: string): string {
  const [sentence = ''] = description.split(/\.(?: |$)/, 1);
  const text = sentence.replace(/^Return /, '').replaceAll('`', '"');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** `src/cli/resources/operations.ts`. */
export function resourceOperationsFile(document: object): string {
  const lines = resourceOperations(document).map((operation) => `  ${JSON.stringify(operation)},\n`);
  return `// biome-ignore-all format: one line per operation.
import type { ResourceOperation } from './operation.ts';

/** Generated from the contract by npm run generate. */
export const resourceOperations: readonly ResourceOperation[] = [
${lines.join('')}];

export function resourceOperation(id: string): ResourceOperation {
  return resourceOperations.find((operation) => operation.id === id) as ResourceOperation;
}
`;
}
