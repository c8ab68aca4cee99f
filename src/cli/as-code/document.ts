import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isPair, isScalar, LineCounter, type ParsedNode, parseDocument, visit } from 'yaml';

export type Format = 'yaml' | 'json';

export type Path = readonly (string | number)[];

export interface ReadText {
  readonly value: unknown;
  /** The 1-based line on which a field starts; null if unknown. */
  lineOf(path: Path): number | null;
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

/** Throws a TextError on a syntax error. */
export function readText(text: string, format: Format): ReadText {
  const counter = new LineCounter();
  const document = () =>
    parseDocument(text.replace(/^\ufeff/, ''), {
      lineCounter: counter,
      prettyErrors: false,
      stringKeys: true,
      resolveKnownTags: false,
    });
  if (format === 'json') {
    const value = parseJson(text);
    let parsed: ReturnType<typeof document> | undefined;
    return {
      value,
      lineOf: (path) => {
        // JSON is valid YAML, and the YAML parser knows line numbers.
        parsed ??= document();
        return lineOf(parsed, counter, path);
      },
    };
  }
  const parsed = document();
  const [issue] = [...parsed.errors, ...parsed.warnings];
  if (issue !== undefined)
    throw new TextError(`is not valid YAML: ${issue.message}`, counter.linePos(issue.pos[0]).line);
  try {
    return { value: parsed.toJS(), lineOf: (path) => lineOf(parsed, counter, path) };
  } catch (error) {
    // Excessive alias expansion, as in a "billion laughs" file.
    throw new TextError(`is not valid YAML: ${(error as Error).message}`, null);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const line = /\(line (\d+) column/.exec((error as Error).message)?.[1];
    throw new TextError('is not valid JSON', line === undefined ? null : Number(line));
  }
}

function lineOf(document: Document.Parsed, counter: LineCounter, path: Path): number | null {
  const [start] = rangeOf(document, path) ?? [];
  return start === undefined ? null : counter.linePos(start).line;
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
