/** `{name}` in the URL of a tool. A name cannot contain what separates the parts of a URL. */
import { isObject } from '../../json-object.ts';

const placeholder = /\{([^{}/?#\\&=\s]{1,64})\}/g;

/** The arguments that the URL of a tool names, each once. */
export function placeholdersIn(url: string): string[] {
  return [...new Set(Array.from(url.matchAll(placeholder), ([, name]) => name as string))];
}

/** The URL with something in place of each argument. */
export function withPlaceholders(url: string, textFor: (name: string) => string): string {
  return url.replaceAll(placeholder, (_whole, name: string) => textFor(name));
}

/** The URL with a letter in place of each argument, for what depends on the rest of it only. */
export function withoutPlaceholders(url: string, letter = 'x'): string {
  return withPlaceholders(url, () => letter);
}

/** Whether the arguments are in the URL, because there is no body. */
export function isBodyless(method: unknown): boolean {
  return method === 'GET' || method === 'DELETE';
}

/** The names in the query of the URL, without those that arguments are a part of. */
export function queryNamesIn(url: string): string[] {
  const query = /\?(.*)$/s.exec(url)?.[1] ?? '';
  const pairs = query.split('&').map((pair) => pair.split('=', 1)[0] as string);
  const literal = pairs.filter((name) => name !== '' && withoutPlaceholders(name) === name);
  return literal.flatMap((name) => [...new URLSearchParams(name).keys()]);
}

/** What is wrong with the placeholders of a URL. Takes any method and parameters, and says nothing about malformed ones. */
export function toolUrlIssues(tool: {
  readonly url: string;
  readonly method?: unknown;
  readonly parameters?: unknown;
}): string[] {
  const { url, method } = tool;
  if (/[{}]/.test(url.replaceAll(placeholder, ''))) {
    return ['contains { or } that is not part of {name}, the name of a parameter: write %7B or %7D'];
  }
  if (!hasLiteralOrigin(url)) return ['must not contain {name} in its scheme, host or port'];
  const { properties } = isObject(tool.parameters) ? tool.parameters : {};
  const parameters = isObject(properties) ? properties : {};
  const names = placeholdersIn(url);
  const fromNames = names.flatMap((name) => {
    if (!Object.hasOwn(parameters, name)) return [`contains {${name}}, which is not in parameters.properties`];
    return isOnlyNested(parameters[name])
      ? [`contains {${name}}, which must be a string, a number or a boolean: an object or a list has no place there`]
      : [];
  });
  const repeated = isBodyless(method)
    ? queryNamesIn(url).filter((name) => Object.hasOwn(parameters, name) && !names.includes(name))
    : [];
  return [...fromNames, ...repeated.map((name) => `sets ${name} in its query, which is also a parameter`)];
}

/** Whether arguments cannot change where the request goes, however a parser reads the URL. */
function hasLiteralOrigin(url: string): boolean {
  if (placeholdersIn(url).length === 0) return true;
  const [, origin = ''] = /^([a-z]+:\/\/[^/?#\\]+)/i.exec(url) ?? [];
  if (origin === '' || withoutPlaceholders(origin) !== origin) return false;
  return URL.parse(withoutPlaceholders(url, 'x'))?.origin === URL.parse(withoutPlaceholders(url, 'y'))?.origin;
}

function isOnlyNested(schema: unknown): boolean {
  const { type } = isObject(schema) ? schema : {};
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.length > 0 && types.every((name) => name === 'object' || name === 'array');
}
