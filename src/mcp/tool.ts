import { z } from 'zod';
import type { RequestOptions, VoiceAgents } from '../../sdk/src/index.ts';
import type { Operation } from '../contract/operation.ts';
import { ArgumentError } from './argument-error.ts';
import { inputSchemaOf, outputSchemaOf } from './json-schema.ts';

/** Longer lists of arguments are better read in the schema. */
const maxNamed = 10;

export type ToolOutput = Record<string, unknown>;

/** A tool, as the server offers it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly operation: Operation;
  readonly scope: string | null;
  readonly isWrite: boolean;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  call(client: VoiceAgents, given: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<ToolOutput>;
}

interface Definition<Own extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  /** Provides the title, the required scope and the risk class. */
  readonly operation: Operation;
  /** Arguments that identify the resource. They are validated here. */
  readonly own: Own;
  /** Arguments that are passed on: the service validates them and reports problems field by field. */
  readonly passed: z.ZodRawShape;
  readonly output: z.ZodObject;
  readonly call: (
    client: VoiceAgents,
    own: z.output<z.ZodObject<Own>>,
    passed: Record<string, unknown>,
    options: RequestOptions,
  ) => Promise<ToolOutput>;
}

export function defineTool<Own extends z.ZodRawShape>(definition: Definition<Own>): Tool {
  const { name, description, operation, own, passed, output, call } = definition;
  const ownSchema = z.object(own);
  const names = new Set([...Object.keys(own), ...Object.keys(passed)]);
  const choice = names.size > maxNamed ? '' : `. Its arguments are: ${[...names].join(', ')}`;
  return {
    name,
    description,
    operation,
    scope: operation.scope,
    isWrite: operation.kind !== 'read',
    input: z.object({ ...own, ...passed }),
    output,
    call: async (client, given, options) => {
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
export function describeTool({ name, description, operation, isWrite, input, output }: Tool) {
  const doesChange = operation.condition === 'If-Match';
  return {
    name,
    title: operation.summary,
    description,
    inputSchema: inputSchemaOf(input),
    outputSchema: outputSchemaOf(output),
    annotations: {
      title: operation.summary,
      readOnlyHint: !isWrite,
      // True for tools that change existing data instead of only adding to it.
      destructiveHint: isWrite && (doesChange || operation.risk !== 'standard'),
      idempotentHint: !isWrite || doesChange,
      // Agents call tools of other systems. All other tools only access one workspace.
      openWorldHint: operation.kind === 'action',
    },
  };
}

function issueOf(given: Readonly<Record<string, unknown>>, path: readonly PropertyKey[], message: string): string {
  return given[String(path[0])] === undefined ? 'is required' : message;
}
