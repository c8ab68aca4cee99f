import { z } from 'zod';
import type { RequestOptions, VoiceAgents } from '../../sdk/src/index.ts';
import type { Operation } from '../contract/operation.ts';
import { ArgumentError } from './argument-error.ts';
import { inputSchemaOf, outputSchemaOf } from './json-schema.ts';

/** More of them are better read in the schema. */
const maxNamed = 10;

export type Answer = Record<string, unknown>;

/** One tool, as the server offers it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly operation: Operation;
  readonly scope: string | null;
  readonly isWrite: boolean;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  call(client: VoiceAgents, given: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<Answer>;
}

interface Definition<Own extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  /** Says what the tool is called, which scope it takes and how much harm it can do. */
  readonly operation: Operation;
  /** The arguments that say what it is about. They are looked at here. */
  readonly own: Own;
  /** The arguments that the service is to judge: it knows best, and says so field by field. */
  readonly passed: z.ZodRawShape;
  readonly output: z.ZodObject;
  readonly call: (
    client: VoiceAgents,
    own: z.output<z.ZodObject<Own>>,
    passed: Record<string, unknown>,
    options: RequestOptions,
  ) => Promise<Answer>;
}

export function defineTool<Own extends z.ZodRawShape>(definition: Definition<Own>): Tool {
  const { name, description, operation, own, passed, output, call } = definition;
  const ownSchema = z.object(own);
  const names = new Set([...Object.keys(own), ...Object.keys(passed)]);
  const choice = names.size > maxNamed ? '' : `; there are ${[...names].join(', ')}`;
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
        // One that is left aside would be taken for heeded.
        ...unknown.map((argument) => `${argument}: is not an argument of ${name}${choice}`),
      ];
      if (!result.success || issues.length > 0) throw new ArgumentError(issues);
      const rest = Object.entries(given).filter(([argument]) => argument in passed);
      return call(client, result.data, Object.fromEntries(rest), options);
    },
  };
}

/** The tool in the words of the protocol. */
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
      // Whatever changes what is there, instead of only adding to it.
      destructiveHint: isWrite && (doesChange || operation.risk !== 'standard'),
      idempotentHint: !isWrite || doesChange,
      // There is nothing but the agents of one workspace.
      openWorldHint: false,
    },
  };
}

function issueOf(given: Readonly<Record<string, unknown>>, path: readonly PropertyKey[], message: string): string {
  return given[String(path[0])] === undefined ? 'is required' : message;
}
