import { type ToolSetting, tools as toolsSchema } from '../../contract/agents/settings/tools.ts';
import { isObject } from '../../contract/json-object.ts';
import { type ArgumentCheck, compileParameters } from './arguments.ts';
import type { SchemaObject } from './json-schema.ts';
import { toolUrl } from './tool-url.ts';

/** What a model is told about a tool. */
export interface ToolForModel {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type `object`. */
  readonly parameters: SchemaObject;
}

/** A tool that a model can call, and whose result it gets. */
export interface CallableTool extends ToolForModel {
  /** What the agent says while it runs, to rotate through. */
  readonly say: readonly string[];
  readonly checkArguments: ArgumentCheck;
}

/** A tool of an agent, with its defaults. */
export interface ToolDefinition extends CallableTool {
  readonly where: 'server' | 'client';
  /** Null for a tool that runs on the client. `{name}` in it is an argument. */
  readonly url: string | null;
  readonly method: NonNullable<ToolSetting['method']>;
  readonly timeoutMs: number;
  /** Values may contain `{{secrets.NAME}}`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The result in calls that use examples. Null: it has none. */
  readonly example: { readonly result: unknown } | null;
}

/** The tools in `agentSettings.tools` of an agent that can be published. Throws if they are malformed. */
export function readTools(setting: unknown): readonly ToolDefinition[] {
  return setting === undefined ? [] : toolsSchema.parse(setting).map(defineTool);
}

export function defineTool(setting: ToolSetting): ToolDefinition {
  const { name, description, url = null, method = 'POST', timeoutMs = 10_000 } = setting;
  const { say = [], headers = {}, where = 'server', example } = setting;
  // Some providers insist on the type, which is the only one that arguments can have.
  const parameters = { type: 'object', ...setting.parameters };
  const checkParameters = compileParameters(parameters);
  const checkUrl: ArgumentCheck = (given) => {
    const result = url === null || !isObject(given) ? null : toolUrl({ url, method }, given);
    return result !== null && 'issues' in result ? result.issues : [];
  };
  return {
    name,
    description,
    parameters,
    where,
    url,
    method,
    timeoutMs,
    say: typeof say === 'string' ? [say] : say,
    headers,
    example: example === undefined ? null : { result: example },
    checkArguments: (given) => {
      const issues = checkParameters(given);
      return issues.length > 0 ? issues : checkUrl(given);
    },
  };
}
