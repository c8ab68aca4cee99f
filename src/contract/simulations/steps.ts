import type { RE2JS } from 're2js';
import { patternCost } from '../agents/pattern-cost.ts';
import { compilePattern, maxPatternCost } from '../agents/patterns.ts';
import { type EndReason, endReasons } from '../calls/end-reasons.ts';
import { maxNesting, NestingError, parseForeignJson } from '../foreign-json.ts';

type Scalar = string | number | boolean | null;

export type Step =
  | { readonly type: 'say'; readonly text: string; readonly durationMs?: number }
  | { readonly type: 'pause'; readonly ms: number }
  | { readonly type: 'interrupt'; readonly afterWords: number; readonly text: string }
  | { readonly type: 'cough'; readonly ms: number }
  | { readonly type: 'dtmf'; readonly digits: string }
  | { readonly type: 'hangUp' }
  | { readonly type: 'expectSays'; readonly pattern: RE2JS; readonly source: string; readonly withinMs?: number }
  | { readonly type: 'expectEnd'; readonly reason: EndReason }
  | { readonly type: 'expectVariable'; readonly name: string; readonly value: Scalar }
  | { readonly type: 'expectTool'; readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };

/** What is wrong with a step, and where: `column` counts characters of the step from 1. */
export interface StepIssue {
  readonly column: number;
  readonly message: string;
}

interface Form {
  readonly usage: string;
  /** Tells which form a step is meant to be, so that the message can say what is missing. */
  readonly start: RegExp;
  readonly full: RegExp;
  build(groups: Readonly<Record<string, string | undefined>>): Step | StepIssue;
}

export const maxSteps = 500;
const maxStepMs = 3_600_000;
const quoted = String.raw`"(?<text>(?:[^"\\]|\\.)*)"`;
const ms = String.raw`(?<ms>\d{1,7}) ?ms`;

const forms: readonly Form[] = [
  {
    usage: 'say "text" [for 1800ms]',
    start: /^say\b/,
    full: new RegExp(`^say ${quoted}(?: for ${ms})?$`, 'u'),
    build: ({ text = '', ms: duration }) => ({
      type: 'say',
      text: unquoted(text),
      ...(duration === undefined ? {} : { durationMs: Number(duration) }),
    }),
  },
  {
    usage: 'pause 400ms',
    start: /^pause\b/,
    full: new RegExp(`^pause ${ms}$`),
    build: ({ ms: duration }) => ({ type: 'pause', ms: Math.min(Number(duration), maxStepMs) }),
  },
  {
    usage: 'interrupt after 3 words "text"',
    start: /^interrupt\b/,
    full: new RegExp(`^interrupt after (?<count>\\d{1,4}) words? ${quoted}$`, 'u'),
    build: ({ count, text = '' }) => ({ type: 'interrupt', afterWords: Number(count), text: unquoted(text) }),
  },
  {
    usage: 'cough 150ms',
    start: /^cough\b/,
    full: new RegExp(`^cough ${ms}$`),
    build: ({ ms: duration }) => ({ type: 'cough', ms: Math.min(Number(duration), maxStepMs) }),
  },
  {
    usage: 'dtmf 1',
    start: /^dtmf\b/,
    full: /^dtmf (?<digits>[0-9*#A-D]{1,50})$/,
    build: ({ digits = '' }) => ({ type: 'dtmf', digits }),
  },
  { usage: 'hang up', start: /^hang\b/, full: /^hang up$/, build: () => ({ type: 'hangUp' }) },
  {
    usage: 'expect agent says /pattern/ [within 1500ms]',
    start: /^expect agent\b/,
    full: new RegExp(`^expect agent says /(?<pattern>.*)/(?: within ${ms})?$`, 'u'),
    build: ({ pattern = '', ms: within }) => expectSays(pattern, within),
  },
  {
    usage: 'expect end agent_hangup',
    start: /^expect end\b/,
    full: /^expect end (?<reason>[a-z_]{1,64})$/,
    build: ({ reason = '' }) => expectEnd(reason),
  },
  {
    usage: 'expect variable name = value',
    start: /^expect variable\b/,
    full: /^expect variable (?<name>[A-Za-z_][\w.-]{0,63}) ?= ?(?<value>.+)$/u,
    build: ({ name = '', value = '' }) => ({ type: 'expectVariable', name, value: scalar(value) }),
  },
  {
    usage: 'expect tool name {"argument": "value"}',
    start: /^expect tool\b/,
    full: /^expect tool (?<name>[a-z][a-z0-9_]{0,63})(?: (?<json>\{.*\}))?$/u,
    build: ({ name = '', json = '{}' }) => expectTool(name, json),
  },
];

/** What is wrong with a script, by the index of the step. */
export interface ScriptIssue extends StepIssue {
  readonly step: number;
}

export function parseSteps(lines: readonly string[]): { readonly steps: Step[]; readonly issues: ScriptIssue[] } {
  const tooComplex = firstTooComplex(lines);
  const parsed = lines.map((line, index) => (index < tooComplex ? parseStep(line) : tooComplexIssue));
  return {
    steps: parsed.flatMap((step) => (isStepIssue(step) ? [] : [step])),
    issues: parsed
      .flatMap((step, index) => (isStepIssue(step) ? [{ step: index, ...step }] : []))
      .filter(({ step }) => step <= tooComplex),
  };
}

const tooComplexIssue: StepIssue = {
  column: 1,
  message:
    'the patterns of the script are too complex in total: use smaller repetition counts, such as x{10} instead of x{1000}',
};

/** The step whose pattern exceeds what may be compiled for one script, which blocks the event loop of the service. */
function firstTooComplex(lines: readonly string[]): number {
  let cost = 0;
  for (const [index, line] of lines.entries()) {
    const [, pattern] = /^\s*expect agent says (.*)$/su.exec(line) ?? [];
    cost += pattern === undefined ? 0 : patternCost(pattern);
    if (cost > maxPatternCost) return index;
  }
  return lines.length;
}

export const stepUsages: readonly string[] = forms.map(({ usage }) => usage);

export function parseStep(line: string): Step | StepIssue {
  const step = line.trim();
  const form = forms.find(({ start }) => start.test(step));
  if (form === undefined) return { column: 1, message: `is not a step. Steps are: ${stepUsages.join('; ')}` };
  const match = form.full.exec(step);
  if (match === null) return { column: matchedLength(form.start, step), message: `must have the form: ${form.usage}` };
  return form.build(match.groups ?? {});
}

export function isStepIssue(step: Step | StepIssue): step is StepIssue {
  return 'message' in step;
}

/** In words, for the report of a failed expectation. */
export function describeStep(step: Step): string {
  switch (step.type) {
    case 'expectSays':
      return `agent says /${step.source}/${step.withinMs === undefined ? '' : ` within ${step.withinMs}ms`}`;
    case 'expectEnd':
      return `the call ends with ${step.reason}`;
    case 'expectVariable':
      return `variable ${step.name} = ${JSON.stringify(step.value)}`;
    case 'expectTool':
      return `tool ${step.name} ${JSON.stringify(step.arguments)}`;
    default:
      return step.type;
  }
}

function expectSays(source: string, within: string | undefined): Step | StepIssue {
  const pattern = compilePattern(source);
  if (typeof pattern === 'string')
    return { column: 'expect agent says /'.length + 1, message: `the pattern ${pattern}` };
  return { type: 'expectSays', pattern, source, ...(within === undefined ? {} : { withinMs: Number(within) }) };
}

function expectEnd(reason: string): Step | StepIssue {
  const known = endReasons.find((name) => name === reason);
  if (known !== undefined) return { type: 'expectEnd', reason: known };
  return { column: 'expect end '.length + 1, message: `the reason must be one of: ${endReasons.join(', ')}` };
}

function expectTool(name: string, json: string): Step | StepIssue {
  try {
    return { type: 'expectTool', name, arguments: parseForeignJson(json) as Record<string, unknown> };
  } catch (error) {
    const limit = error instanceof NestingError ? ` of at most ${maxNesting} levels` : '';
    return { column: `expect tool ${name} `.length + 1, message: `the arguments must be a JSON object${limit}` };
  }
}

/** JSON if it is JSON, else the text itself: `2`, `true`, `"2"`, `2026-12-24`. */
function scalar(text: string): Scalar {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object') return value as Scalar;
  } catch {
    // Plain text.
  }
  return text;
}

function unquoted(text: string): string {
  return text.replace(/\\(.)/gu, '$1');
}

function matchedLength(pattern: RegExp, text: string): number {
  return (pattern.exec(text)?.[0].length ?? 0) + 1;
}
