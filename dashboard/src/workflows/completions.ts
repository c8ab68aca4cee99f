import type { Call, Secret } from '../../../sdk/src/index.ts';
import { isRecord } from '../parts/json-value.ts';

import type { Step } from './definition.ts';

/** Something that a template can name. */
export interface Completion {
  readonly path: string;
  /** Undefined: it is known only when a run comes to the step. */
  readonly value: unknown;
}

/** What people send first. */
const preferred = [
  'call.analysis.summary',
  'call.analysis.successful',
  'call.analysis.data.',
  'call.analysis.sentiment',
  'call.from',
  'call.to',
  'call.externalId',
  'call.metadata.',
  'call.collectedVariables.',
  'call.variables.',
  'call.id',
  'call.startedAt',
  'call.durationMs',
  'call.endReason',
] as const;

/** Values that every call has, offered even if there is no call to look at. */
const usual = [
  ...preferred.filter((path) => !path.endsWith('.')),
  ...[
    'call.type',
    'call.direction',
    'call.status',
    'call.agentId',
    'call.agentVersion',
    'call.createdAt',
    'call.endedAt',
  ],
];

const maxDepth = 5;

/** The fields of a call with their values. Lists are one value each. */
export function callCompletions(call: Call | null): readonly Completion[] {
  if (call === null) return usual.map((path) => ({ path, value: undefined }));
  const found: Completion[] = [];
  const visit = (value: unknown, path: string, depth: number) => {
    if (isRecord(value) && depth < maxDepth && Object.keys(value).length > 0) {
      for (const [name, inner] of Object.entries(value)) visit(inner, `${path}.${name}`, depth + 1);
    } else found.push({ path, value });
  };
  visit(call, 'call', 0);
  return found.toSorted((one, other) => rankOf(one.path) - rankOf(other.path));
}

function rankOf(path: string): number {
  const rank = preferred.findIndex((each) => path === each || (each.endsWith('.') && path.startsWith(each)));
  return rank === -1 ? preferred.length : rank;
}

const outputs: Readonly<Record<string, readonly string[]>> = {
  http_request: ['statusCode', 'output.body', 'status'],
  wait: ['output.resumedAt'],
  condition: ['output.matched'],
  update_call: ['status'],
  create_call: ['output.callId', 'status'],
};

export function stepCompletions(earlier: readonly Step[]): readonly Completion[] {
  return earlier.flatMap(({ id, type }) =>
    (outputs[type] ?? []).map((name) => ({ path: `steps.${id}.${name}`, value: undefined })),
  );
}

export function secretCompletions(secrets: readonly Secret[]): readonly Completion[] {
  return secrets.map(({ name, hosts }) => ({ path: `secrets.${name}`, value: hosts.join(', ') }));
}

export const runCompletions: readonly Completion[] = [
  'transcript.text',
  'now',
  'run.id',
  'run.startedAt',
  'workflow.id',
].map((path) => ({ path, value: undefined }));

/** Where a template is being typed: what has been typed of its path, and from where on. */
export interface Typed {
  /** The place of `{{`. */
  readonly start: number;
  /** The place after `{{` and spaces. */
  readonly from: number;
  readonly text: string;
}

export function typedAt(text: string, caret: number): Typed | null {
  const before = text.slice(0, caret);
  const match = /\{\{\s*([^{}|"\n]*)$/.exec(before);
  if (match === null) return null;
  const typed = match[1] as string;
  return { start: match.index, from: caret - typed.length, text: typed.trim() };
}

const maxShown = 60;

/** Those that begin with what is typed first, then those that contain it. */
export function matching(completions: readonly Completion[], typed: string): readonly Completion[] {
  const wanted = typed.toLowerCase();
  const contains = completions.filter(({ path }) => path.toLowerCase().includes(wanted));
  const begins = (path: string) => path.toLowerCase().startsWith(wanted);
  return [...contains.filter(({ path }) => begins(path)), ...contains.filter(({ path }) => !begins(path))].slice(
    0,
    maxShown,
  );
}

/** The text with the chosen path, and where the caret is then. In JSON, a value that is no string yet becomes one. */
export function completed(text: string, caret: number, typed: Typed, path: string, isJson: boolean) {
  const rest = text.slice(caret);
  const closing = /^\s*\}\}/.exec(rest)?.[0];
  const isQuoted = !isJson || isInString(text, typed.start);
  const before = isQuoted ? text.slice(0, typed.from) : `${text.slice(0, typed.start)}"{{`;
  const inserted = `${before}${path}}}${isQuoted ? '' : '"'}`;
  return { text: inserted + (closing === undefined ? rest : rest.slice(closing.length)), caret: inserted.length };
}

function isInString(text: string, place: number): boolean {
  let isInside = false;
  for (let index = 0; index < place; index += 1) {
    const character = text.charAt(index);
    if (character === '\\' && isInside) index += 1;
    else if (character === '"') isInside = !isInside;
  }
  return isInside;
}

/** The value of a field of a filter in a call; undefined if it has none. The longest existing key wins. */
export function fieldValue(call: Call | null, field: string): unknown {
  let value: unknown = call;
  let names = field.split('.');
  while (names.length > 0) {
    if (!isRecord(value)) return undefined;
    let length = names.length;
    while (length > 1 && !Object.hasOwn(value, names.slice(0, length).join('.'))) length -= 1;
    value = value[names.slice(0, length).join('.')];
    names = names.slice(length);
  }
  return value ?? undefined;
}
