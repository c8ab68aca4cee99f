import {
  isBodyless,
  placeholdersIn,
  queryNamesIn,
  withoutPlaceholders,
  withPlaceholders,
} from '../../contract/agents/settings/tool-url.ts';
import { isObject } from '../../contract/json-object.ts';
import type { Issue } from '../../core/issues.ts';
import type { ToolResult } from './tool.ts';

/** What the outbound guard accepts. */
const maxUrlLength = 2048;

export interface ToolAddress {
  readonly url: string;
  readonly method: string;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The URL of a tool with its arguments, or why it cannot be called with them. */
export function toolUrl(
  tool: ToolAddress,
  given: Arguments,
): { readonly url: string } | { readonly issues: readonly Issue[] } {
  const [path = '', query] = splitQuery(tool.url);
  const issues = [...pathIssues(path, given), ...nestedIssues(tool.url, given), ...repeatedIssues(tool, given)];
  if (issues.length > 0) return { issues };
  const pairs = [
    ...(query === undefined
      ? []
      : query.split('&').filter((pair) => placeholdersIn(pair).every((name) => hasValue(given, name)))),
    ...(isBodyless(tool.method) ? remainingPairs(tool.url, given) : []),
  ];
  const fill = (text: string): string => withPlaceholders(text, (name) => percentEncoded(given[name]));
  const filled = [fill(path), ...(pairs.length > 0 ? [pairs.map(fill).join('&')] : [])].join('?');
  if ([...filled].length > maxUrlLength) {
    return { issues: [{ path: [], message: `must not make the URL longer than ${maxUrlLength} characters` }] };
  }
  // Published versions are checked for it, and the request must not depend on that.
  if (URL.parse(filled)?.origin !== URL.parse(withoutPlaceholders(tool.url))?.origin) {
    return { issues: [{ path: [], message: 'must not change the host of the URL' }] };
  }
  return { url: filled };
}

/** The result of a call whose arguments do not fit into the URL; undefined if they do. */
export function urlRefusal(
  tools: readonly { readonly name: string; readonly url: string | null; readonly method: string }[],
  { name, arguments: given }: { readonly name: string; readonly arguments: Arguments },
): ToolResult | undefined {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined || tool.url === null) return undefined;
  const result = toolUrl({ url: tool.url, method: tool.method }, given);
  return 'issues' in result ? refusedArguments(result.issues) : undefined;
}

export function refusedArguments([issue]: readonly Issue[]): ToolResult {
  const { path = [], message = '' } = issue ?? {};
  const subject = path.length === 0 ? 'the arguments' : path.map(String).join('.');
  return { isError: true, code: 'invalid_arguments', message: `${subject} ${message}` };
}

function splitQuery(url: string): [path: string, query?: string] {
  const start = url.indexOf('?');
  return start === -1 ? [url] : [url.slice(0, start), url.slice(start + 1)];
}

/** A part of the path that is missing, empty or `..` would name another resource. */
function pathIssues(path: string, given: Arguments): Issue[] {
  const missing = placeholdersIn(path).filter((name) => !hasValue(given, name) || given[name] === '');
  if (missing.length > 0) {
    return missing.map((name) => ({ path: [name], message: 'is required: it is part of the path of the URL' }));
  }
  const segments = asParsed(path)
    .split('/')
    .filter((segment) => placeholdersIn(segment).length > 0);
  const isDots = (segment: string): boolean => {
    const filled = withPlaceholders(segment, (name) => percentEncoded(given[name]));
    return ['.', '..'].includes(filled.replaceAll(/%2e/gi, '.'));
  };
  const names = segments.filter(isDots).flatMap(placeholdersIn);
  return names.map((name) => ({ path: [name], message: 'must not make a part of the path . or ..' }));
}

/** As URL parsers read a path: `\` is `/`, and neither line breaks nor what is blank at the end are a part of it. */
function asParsed(path: string): string {
  return path
    .replaceAll(/[\t\n\r]/g, '')
    .replace(/[\p{Cc} ]+$/u, '')
    .replaceAll('\\', '/');
}

function nestedIssues(url: string, given: Arguments): Issue[] {
  return placeholdersIn(url)
    .filter((name) => hasValue(given, name) && typeof given[name] === 'object')
    .map((name) => ({ path: [name], message: 'must be a string, a number or a boolean: it is part of the URL' }));
}

/** What the URL sets is not for a model to change. */
function repeatedIssues({ url, method }: ToolAddress, given: Arguments): Issue[] {
  if (!isBodyless(method)) return [];
  const named = placeholdersIn(url);
  return queryNamesIn(url)
    .filter((name) => !named.includes(name) && Object.hasOwn(given, name))
    .map((name) => ({ path: [name], message: 'is set by the URL of the tool' }));
}

/** The arguments that the URL does not name. A list of plain values is the name once for each; other parts are JSON. */
function remainingPairs(url: string, given: Arguments): string[] {
  const named = placeholdersIn(url);
  return Object.entries(given).flatMap(([name, value]) => {
    if (named.includes(name) || !isGiven(value)) return [];
    const isPlainList = Array.isArray(value) && !value.some((item) => Array.isArray(item) || isObject(item));
    const values: readonly unknown[] = isPlainList ? value.filter(isGiven) : [value];
    return values.map((item) => `${percentEncoded(name)}=${percentEncoded(item)}`);
  });
}

function hasValue(given: Arguments, name: string): boolean {
  return Object.hasOwn(given, name) && isGiven(given[name]);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Without the braces of a value, which `encodeURIComponent` encodes as well, nothing in it is a placeholder. */
function percentEncoded(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return encodeURIComponent(text.toWellFormed());
}
