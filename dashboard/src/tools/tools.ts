import { isRecord } from '../parts/json-value.ts';

type Settings = Readonly<Record<string, unknown>>;

/** An entry of `agentSettings.tools`. Drafts may contain anything in it. */
export type Tool = Readonly<Record<string, unknown>>;

export const maxTools = 20;
/** In the order of the list to choose from. */
export const toolMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const defaultTimeoutMs = 10_000;

/** Null if it is something else than a list of objects, which only the JSON can show. */
export function toolsIn({ tools }: Settings): readonly Tool[] | null {
  if (tools === undefined) return [];
  return Array.isArray(tools) && tools.every(isRecord) ? tools : null;
}

export function withTools(settings: Settings, tools: readonly Tool[]): Settings {
  const { tools: _, ...others } = settings;
  return tools.length === 0 ? others : { ...settings, tools };
}

/** A tool to start from: a lookup, because it changes nothing. */
export function newTool(tools: readonly Tool[]): Tool {
  const names = new Set(tools.map(({ name }) => name));
  const number = Array.from({ length: names.size + 1 }, (_, index) => index + 1).find(
    (each) => !names.has(nameOf(each)),
  );
  return {
    name: nameOf(number ?? 1),
    description: '',
    method: 'GET',
    url: '',
    parameters: { type: 'object', properties: {} },
  };
}

function nameOf(number: number): string {
  return number === 1 ? 'new_tool' : `new_tool_${number}`;
}

/** Undefined removes the member. */
export function withField(tool: Tool, name: string, value: unknown): Tool {
  if (value !== undefined) return { ...tool, [name]: value };
  return Object.fromEntries(Object.entries(tool).filter(([each]) => each !== name));
}

const serverFields = ['url', 'method', 'headers'] as const;

/** Where the tool runs. What only a server has is not allowed for a page: `before` is what it had. */
export function runningIn(tool: Tool, where: 'server' | 'client', before: Tool): Tool {
  const rest = Object.fromEntries(
    Object.entries(tool).filter(([name]) => name !== 'where' && !(serverFields as readonly string[]).includes(name)),
  );
  if (where === 'client') return { ...rest, where };
  const known = serverFields.flatMap((name) => (before[name] === undefined ? [] : [[name, before[name]]]));
  return { url: '', ...rest, ...Object.fromEntries(known) };
}

/** The sentences that the agent says while the tool runs, and back. */
export function sentencesOf({ say }: Tool): readonly string[] {
  return typeof say === 'string' ? [say] : Array.isArray(say) ? say.map(String) : [];
}

export function sayOf(sentences: unknown): unknown {
  const list = Array.isArray(sentences) ? sentences : [];
  return list.length === 0 ? undefined : list.length === 1 ? list[0] : list;
}

/** Whether the agent can be tried without any of its tools: each says what it would return. */
export function hasExamples(settings: unknown): boolean {
  const tools = isRecord(settings) ? toolsIn(settings) : null;
  return tools !== null && tools.length > 0 && tools.every(({ example }) => example !== undefined);
}
