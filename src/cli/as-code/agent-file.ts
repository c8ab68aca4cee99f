import { check, type Issue } from '../../core/issues.ts';
import { BodyError, findUnstorable, largestBodyBytes } from '../../http/operations/body.ts';
import { type Content, contentOfFile, digest, fieldsNotInFiles, fileSchema } from './content.ts';
import { type Format, type Path, readBytes, TextError } from './document.ts';

/** A problem with a file. */
export interface FileIssue {
  readonly file: string;
  readonly line: number | null;
  /** For display, such as `postCallAnalysisData[0].name`; null if the issue concerns the file as a whole. */
  readonly field: string | null;
  readonly message: string;
}

export interface AgentFile {
  readonly file: string;
  /** The digest of its text, independent of line endings, which some tools change. */
  readonly digest: string;
  /** Null if the file is invalid. */
  readonly content: Content | null;
  readonly issues: readonly FileIssue[];
}

export function readAgentFile(file: string, bytes: Buffer, format: Format): AgentFile {
  const digest = digestOfText(bytes.toString());
  const invalid = (issues: readonly FileIssue[]): AgentFile => ({ file, digest, content: null, issues });
  try {
    const { value, lineOf } = readBytes(bytes, format);
    const result = checkValue(value);
    if ('content' in result) return { file, digest, content: result.content, issues: [] };
    return invalid(
      result.issues.map(({ path, message }) => {
        const field = path.length === 0 ? null : fieldName(path as Path);
        return { file, line: lineOf(path as Path), field, message };
      }),
    );
  } catch (error) {
    if (!(error instanceof TextError || error instanceof BodyError)) throw error;
    const line = error instanceof TextError ? error.line : null;
    return invalid([{ file, line, field: null, message: error.message.replace('the body', 'the agent') }]);
  }
}

export function digestOfText(text: string): string {
  return digest(text.replaceAll('\r\n', '\n'));
}

export function fieldName(path: Path): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? part : `${name}.${part}`;
  }, '');
}

function checkValue(value: unknown): { readonly content: Content } | { readonly issues: readonly Issue[] } {
  const unstorable = findUnstorable(value);
  if (unstorable.length > 0) return { issues: unstorable };
  const result = check(fileSchema, value);
  if ('issues' in result)
    return {
      issues: result.issues.flatMap((issue) => issuePerKey(issue, (key) => unknownField(issue.path as Path, key))),
    };
  const content = contentOfFile(result.value);
  if (Buffer.byteLength(JSON.stringify(content)) > largestBodyBytes) {
    return { issues: [{ path: [], message: 'is larger than 1 MiB, the maximum size of an agent' }] };
  }
  return { content };
}

/** zod reports all unknown fields of an object in one issue. */
export function issuePerKey(issue: Issue, describe: (key: string) => string): Issue[] {
  const { code, keys } = issue as { code?: string; keys?: readonly string[] };
  if (code !== 'unrecognized_keys' || keys === undefined) return [issue];
  return keys.map((key) => ({ path: [...issue.path, key], message: describe(key) }));
}

/** The shorthand fields of create, which have another place in an agent. */
const moved: Readonly<Record<string, string>> = {
  prompt: 'responseEngine.prompt',
  llmModel: 'responseEngine.model',
  model: 'responseEngine.model',
  responseEngineType: 'responseEngine.type',
  llmWebsocketUrl: 'responseEngine.llmWebsocketUrl',
};

function unknownField(path: Path, key: string): string {
  if (path.length === 0) {
    if (key === 'versionDescription') return 'is not allowed in files: use "voice-agents apply --description"';
    if (fieldsNotInFiles.includes(key)) return 'is not allowed in files: it is read-only';
    if (Object.hasOwn(moved, key)) return `is not a known field: use ${moved[key]}`;
  }
  const near = nearest(key, namesAt(path));
  return near === null ? 'is not a known field' : `is not a known field: did you mean ${near}?`;
}

/** The field names that the schema allows at a path. */
function namesAt(path: Path): string[] {
  let shape = shapeOf(fileSchema);
  // `shapeOf` unwraps lists to their items, so list indexes can be skipped.
  for (const part of path) if (typeof part === 'string') shape = shapeOf(shape[part]);
  return Object.keys(shape);
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  let inner = schema as { unwrap?: () => unknown; shape?: Readonly<Record<string, unknown>> } | undefined;
  while (typeof inner?.unwrap === 'function') inner = inner.unwrap() as typeof inner;
  return inner?.shape ?? {};
}

/** The known name that a misspelled one probably means. */
export function nearest(word: string, known: readonly string[]): string | null {
  const [first] = known
    .map((name) => ({ name, distance: distance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return first !== undefined && first.distance <= Math.max(2, Math.floor(word.length / 3)) ? first.name : null;
}

/** The Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(same, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
