import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isPair, isScalar, LineCounter, type ParsedNode, parseDocument, visit } from 'yaml';

export type Format = 'yaml' | 'json';

export type Path = readonly (string | number)[];

export interface ReadText {
  readonly value: unknown;
  /** The 1-based line on which a field starts; null if unknown. */
  lineOf(path: Path): number | null;
  /** Where a field starts, or the character of this index in a text; null if unknown. */
  placeOf(path: Path, index?: number): Place | null;
}

/** Both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A syntax error, with its line. */
export class TextError extends Error {
  readonly line: number | null;

  constructor(message: string, line: number | null) {
    super(message);
    this.line = line;
  }
}

/** Editors treat these as line breaks or hide them, so they are written as escapes. */
const hidden = /[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;

export function formatOf(fileName: string): Format | null {
  const extension = /\.(yaml|yml|json)$/i.exec(fileName)?.[1]?.toLowerCase();
  if (extension === undefined) return null;
  return extension === 'json' ? 'json' : 'yaml';
}

export function writeText(value: Readonly<Record<string, unknown>>, format: Format): string {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  const text = writeYaml(value, 'PLAIN');
  // Guards against unforeseen edge cases of the YAML writer: the file must read back as exactly the same value.
  return readsAs(text, value) ? text : writeYaml(value, 'QUOTE_DOUBLE');
}

function writeYaml(value: unknown, defaultStringType: 'PLAIN' | 'QUOTE_DOUBLE'): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1', version: '1.2' });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && hidden.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  const text = document.toString({
    // No folding: each line of a prompt is one line in the file, however long.
    lineWidth: 0,
    minContentWidth: 0,
    blockQuote: defaultStringType === 'PLAIN' ? 'literal' : false,
    doubleQuotedAsJSON: true,
    singleQuote: false,
    defaultStringType,
    defaultKeyType: 'PLAIN',
  });
  return text.replaceAll(new RegExp(hidden, 'g'), (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

function readsAs(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(readText(text, 'yaml').value, value);
  } catch {
    return false;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The same for the bytes of a file, which must be UTF-8. */
export function readBytes(bytes: Buffer, format: Format): ReadText {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new TextError('is not valid UTF-8', null);
  }
  return readText(text, format);
}

/** Throws a TextError on a syntax error. */
export function readText(text: string, format: Format): ReadText {
  const counter = new LineCounter();
  const source = text.replace(/^\ufeff/, '');
  const document = () =>
    parseDocument(source, { lineCounter: counter, prettyErrors: false, stringKeys: true, resolveKnownTags: false });
  const withPlaces = (value: unknown, parsed: () => Document.Parsed): ReadText => {
    const placeOf = (path: Path, index?: number): Place | null => {
      const offset = offsetOf(parsed(), path, index, source);
      if (offset === undefined) return null;
      const { line, col } = counter.linePos(offset);
      return { line, column: col };
    };
    return { value, placeOf, lineOf: (path) => placeOf(path)?.line ?? null };
  };
  if (format === 'json') {
    let parsed: Document.Parsed | undefined;
    // JSON is valid YAML, and the YAML parser knows line numbers.
    return withPlaces(parseJson(source), () => {
      parsed ??= document();
      return parsed;
    });
  }
  const parsed = document();
  const [issue] = [...parsed.errors, ...parsed.warnings];
  if (issue !== undefined)
    throw new TextError(`is not valid YAML: ${issue.message}`, counter.linePos(issue.pos[0]).line);
  try {
    return withPlaces(parsed.toJS(), () => parsed);
  } catch (error) {
    // Excessive alias expansion, as in a "billion laughs" file.
    throw new TextError(`is not valid YAML: ${(error as Error).message}`, null);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const line = /\(line (\d+) column/.exec((error as Error).message)?.[1];
    throw new TextError('is not valid JSON', line === undefined ? null : Number(line));
  }
}

function offsetOf(document: Document.Parsed, path: Path, index: number | undefined, source: string) {
  const [start] = rangeOf(document, path) ?? [];
  const node = document.getIn(path, true);
  if (index === undefined || !isScalar(node) || !node.range || typeof node.value !== 'string') return start;
  return node.range[0] + offsetIn(source.slice(node.range[0], node.range[1]), node.type, index);
}

/** One character of a quoted text, as it is written. */
const characters: Readonly<Record<string, string>> = {
  QUOTE_SINGLE: "''|.",
  QUOTE_DOUBLE: String.raw`\\(?:x.{2}|u.{4}|U.{8}|.)|.`,
};

/** Where a character of a text is in its source. A text of several lines counts as one that starts at its first. */
function offsetIn(source: string, type: string | null | undefined, index: number): number {
  if (type === 'PLAIN') return index;
  const pattern = characters[type ?? ''];
  if (pattern === undefined) return 0;
  const character = new RegExp(pattern, 'sy');
  character.lastIndex = 1;
  for (let count = 0; count < index; count += 1) if (!character.test(source)) return 1;
  return character.lastIndex;
}

/** The range of a field name or list item; for a missing field, that of its parent. */
function rangeOf(document: Document.Parsed, path: Path): readonly number[] | undefined {
  const last = path.at(-1);
  if (last === undefined) return (document.contents as ParsedNode | null)?.range;
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (isMap(parent)) {
    const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === last);
    const key = pair?.key as ParsedNode | undefined;
    if (key?.range) return key.range;
  }
  const node = document.getIn(path, true) as ParsedNode | undefined;
  return node?.range ?? rangeOf(document, path.slice(0, -1));
}
