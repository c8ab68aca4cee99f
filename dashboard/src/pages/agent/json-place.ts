export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where the value at a path is in a JSON text, or the innermost value around it. Null if the text is not JSON. */
export function placeInJson(text: string, path: readonly string[]): Place | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let start = afterSpace(text, 0);
  for (const name of path) {
    const inner = members(text, start).find((member) => member.name === name);
    if (inner === undefined) break;
    start = inner.start;
  }
  return { start, end: endOf(text, start) };
}

interface Member {
  readonly name: string;
  /** Where its value starts. */
  readonly start: number;
}

/** The members of an object, or the items of a list with their index as the name. */
function members(text: string, opening: number): readonly Member[] {
  const isObject = text[opening] === '{';
  if (!isObject && text[opening] !== '[') return [];
  const found: Member[] = [];
  let at = afterSpace(text, opening + 1);
  while (text[at] !== '}' && text[at] !== ']') {
    let name = String(found.length);
    if (isObject) {
      const end = endOf(text, at);
      name = JSON.parse(text.slice(at, end));
      at = afterSpace(text, afterSpace(text, end) + 1);
    }
    found.push({ name, start: at });
    at = afterSpace(text, endOf(text, at));
    if (text[at] === ',') at = afterSpace(text, at + 1);
  }
  return found;
}

const string = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const space = /\s*/y;
const word = /[^\s,\]}]+/y;

function endOf(text: string, start: number): number {
  if (text[start] === '"') return matchEnd(string, text, start);
  if (text[start] !== '{' && text[start] !== '[') return matchEnd(word, text, start);
  let depth = 0;
  let at = start;
  do {
    const letter = text[at];
    if (letter === '{' || letter === '[') depth += 1;
    if (letter === '}' || letter === ']') depth -= 1;
    at = letter === '"' ? matchEnd(string, text, at) : at + 1;
  } while (depth > 0);
  return at;
}

function afterSpace(text: string, start: number): number {
  return matchEnd(space, text, start);
}

function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return start + (pattern.exec(text)?.[0].length ?? 0);
}
