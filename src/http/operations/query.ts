/** A parsed query parameter: its decoded value, or an issue. */
export type Parameter = { readonly value: string } | { readonly issue: string };

/** The values of a repeated parameter that is a list are joined with commas, the other form of a list. */
export function parseQuery(url: string, lists: ReadonlySet<string> = new Set()): Map<string, Parameter> {
  const parameters = new Map<string, Parameter>();
  const start = url.indexOf('?');
  if (start === -1) return parameters;
  for (const piece of url.slice(start + 1).split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const rawName = equals === -1 ? piece : piece.slice(0, equals);
    const name = decode(rawName) ?? rawName;
    const value = equals === -1 ? '' : decode(piece.slice(equals + 1));
    const earlier = parameters.get(name);
    if (earlier !== undefined && !lists.has(name)) parameters.set(name, { issue: 'must be given only once' });
    else if (value === undefined) parameters.set(name, { issue: 'is not valid percent-encoded UTF-8' });
    else if (earlier === undefined) parameters.set(name, { value });
    else if ('value' in earlier) parameters.set(name, { value: `${earlier.value},${value}` });
  }
  return parameters;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** The valid parameters, by name. */
export function textsOf(parameters: ReadonlyMap<string, Parameter>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, parameter] of parameters) if ('value' in parameter) texts[name] = parameter.value;
  return texts;
}
