import type { Tool as ToolDescription } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { RequestOptions, VoiceAgents } from '../../sdk/src/index.ts';
import type { Operation } from '../contract/operation.ts';

type JsonSchema = ToolDescription['inputSchema'];

/** Longer lists of arguments are better read in the schema. */
const maxNamed = 10;

export type ToolOutput = Record<string, unknown>;

/** Invalid arguments, detected without calling the service. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super('The arguments are invalid.');
    this.issues = issues;
  }
}

/** What a client may tell its user before it calls a tool. */
export interface Hints {
  /** Changes or ends something that exists, or lets an agent do so. */
  readonly isDestructive: boolean;
  /** A second call with the same arguments has no further effect. */
  readonly isIdempotent: boolean;
  /** Reaches other systems: agents call their own tools. All other tools only access one workspace. */
  readonly isOpenWorld: boolean;
}

const readHints: Hints = { isDestructive: false, isIdempotent: true, isOpenWorld: false };
export const additionHints: Hints = { isDestructive: false, isIdempotent: false, isOpenWorld: false };
/** A change names the version that it is based on, so that a second one fails. */
export const changeHints: Hints = { isDestructive: true, isIdempotent: true, isOpenWorld: false };
export const conversationHints: Hints = { isDestructive: true, isIdempotent: false, isOpenWorld: true };

/** What the user who starts the server may allow. */
export type Flag = '--write' | '--allow-calls';

/** A tool, as the server offers it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly operation: Operation;
  readonly scope: string | null;
  readonly isWrite: boolean;
  /** The option without which the server does not offer it. */
  readonly flag: Flag | null;
  readonly hints: Hints;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  call(client: VoiceAgents, given: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<ToolOutput>;
}

interface Definition<Own extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  /** Provides the title, the required scope and the risk class. */
  readonly operation: Operation;
  /** Default: `--write` for tools that write. */
  readonly flag?: Flag;
  /** Required for tools that write. */
  readonly hints?: Hints;
  /** Arguments that identify the resource. They are validated here. */
  readonly own?: Own;
  /** Arguments that are passed on: the service validates them and reports problems field by field. */
  readonly passed?: z.ZodRawShape;
  readonly output: z.ZodObject;
  readonly call: (
    client: VoiceAgents,
    own: z.output<z.ZodObject<Own>>,
    passed: Record<string, unknown>,
    options: RequestOptions,
  ) => Promise<ToolOutput>;
}

export function defineTool<Own extends z.ZodRawShape>(definition: Definition<Own>): Tool {
  const { name, description, operation, hints = readHints, own = {} as Own, passed = {}, output, call } = definition;
  const ownSchema = z.object(own);
  const names = new Set([...Object.keys(own), ...Object.keys(passed)]);
  const isWrite = operation.kind !== 'read';
  const choice = names.size > maxNamed ? '' : `. Its arguments are: ${[...names].join(', ')}`;
  return {
    name,
    description,
    operation,
    scope: operation.scope,
    isWrite,
    flag: definition.flag ?? (isWrite ? '--write' : null),
    hints,
    input: z.object({ ...own, ...passed }),
    output,
    call: async (client, sent, options) => {
      const given = withIdName(sent, Object.keys(own));
      const result = ownSchema.safeParse(given);
      const unknown = Object.keys(given).filter((argument) => !names.has(argument));
      const issues = [
        ...(result.error?.issues ?? []).map(
          ({ path, message }) => `${path.join('.')}: ${issueOf(given, path, message)}`,
        ),
        // Ignoring unknown arguments would make the model believe they had an effect.
        ...unknown.map((argument) => `${argument}: is not an argument of ${name}${choice}`),
      ];
      if (!result.success || issues.length > 0) throw new ArgumentError(issues);
      const rest = Object.entries(given).filter(([argument]) => argument in passed);
      return call(client, result.data, Object.fromEntries(rest), options);
    },
  };
}

/** The tool as described by the MCP protocol. */
export function describeTool({ name, description, operation, isWrite, hints, input, output }: Tool) {
  return {
    name,
    title: operation.summary,
    description,
    inputSchema: inputSchemaOf(input),
    outputSchema: outputSchemaOf(output),
    annotations: {
      title: operation.summary,
      readOnlyHint: !isWrite,
      destructiveHint: hints.isDestructive,
      idempotentHint: hints.isIdempotent,
      openWorldHint: hints.isOpenWorld,
    },
  };
}

/** Earlier versions called `agentId`, `callId` and `webhookId` just `id`, which is still accepted. */
function withIdName(
  given: Readonly<Record<string, unknown>>,
  own: readonly string[],
): Readonly<Record<string, unknown>> {
  const name = own.find((each) => each.endsWith('Id'));
  if (name === undefined || !('id' in given) || name in given) return given;
  const { id, ...rest } = given;
  return { ...rest, [name]: id };
}

function issueOf(given: Readonly<Record<string, unknown>>, path: readonly PropertyKey[], message: string): string {
  return given[String(path[0])] === undefined ? 'is required' : message;
}

/** The input schema, without `$ref`, which not every client supports. */
function inputSchemaOf(schema: z.ZodObject): JsonSchema {
  return convert(schema, 'input');
}

/**
 * The output schema. Clients drop results that do not match it, so it allows additional fields: a newer service may send
 * some that this version does not know.
 */
function outputSchemaOf(schema: z.ZodObject): JsonSchema {
  return open(convert(schema, 'output')) as JsonSchema;
}

function convert(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, $defs: definitions = {}, ...own } = z.toJSONSchema(schema, { io });
  return inline(own, definitions) as JsonSchema;
}

function inline(value: unknown, definitions: Readonly<Record<string, unknown>>): unknown {
  return mapObjects(value, (object) => {
    const { $ref: reference, ...rest } = object;
    if (typeof reference !== 'string') return object;
    return { ...(inline(definitions[reference.replace('#/$defs/', '')], definitions) as object), ...rest };
  });
}

function open(value: unknown): unknown {
  return mapObjects(value, ({ additionalProperties, ...rest }) =>
    additionalProperties === undefined || additionalProperties === false ? rest : { ...rest, additionalProperties },
  );
}

type Json = Record<string, unknown>;

/** Top-down, so that replacement objects are visited as well. */
function mapObjects(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(change(value as Json)).map(([name, part]) => [name, mapObjects(part, change)]),
  );
}
