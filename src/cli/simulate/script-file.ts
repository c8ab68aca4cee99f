import { readFile } from 'node:fs/promises';
import { type SimulationScript, simulationScript } from '../../contract/simulations/script.ts';
import { parseSteps, type Step } from '../../contract/simulations/steps.ts';
import { check, type Issue } from '../../core/issues.ts';
import { fieldName, issuePerKey, nearest } from '../as-code/agent-file.ts';
import { formatOf, type Path, type Place, type ReadText, readBytes, TextError } from '../as-code/document.ts';
import { CommandError, exitCodes, invalidUsage } from '../failures.ts';
import { visible } from '../terminal/text.ts';

export interface ScriptFile {
  readonly file: string;
  readonly script: SimulationScript;
  readonly steps: readonly Step[];
  /** The place of a step in the file. */
  placeOf(step: number): string;
}

/** Everything that is wrong with a script, a line each, with its place in the file. */
export class ScriptError extends CommandError {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(`the script is not valid\n${lines.join('\n')}`, exitCodes.invalidUsage);
    this.lines = lines;
  }
}

export async function readScriptFile(file: string): Promise<ScriptFile> {
  const read = parsed(file, await bytesOf(file));
  const result = check(simulationScript, read.value);
  const lines = [
    ...('issues' in result ? result.issues.flatMap((issue) => fieldIssues(issue, read.value)) : []).map((issue) => ({
      place: read.placeOf(issue.path as Path),
      text: describe(issue),
    })),
    ...stepIssues(read),
  ];
  if (!('value' in result) || lines.length > 0) {
    throw new ScriptError(
      lines.toSorted((a, b) => order(a.place, b.place)).map(({ place, text }) => `${placed(file, place)}: ${text}`),
    );
  }
  const { steps } = parseSteps(result.value.steps);
  return {
    file,
    script: result.value,
    steps,
    placeOf: (step) => placed(file, read.placeOf(['steps', step], 0)),
  };
}

/** Whether a file in a folder is an agent or a workflow, which is not a script. */
export async function isOtherResource(file: string): Promise<boolean> {
  try {
    const { value } = readBytes(await readFile(file), formatOf(file) ?? 'yaml');
    return typeof value === 'object' && value !== null && ('voiceId' in value || 'trigger' in value);
  } catch {
    // Reported when it is read as a script.
    return false;
  }
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw invalidUsage(`there is no file ${visible(file)}`);
  }
}

function parsed(file: string, bytes: Buffer): ReadText {
  try {
    return readBytes(bytes, formatOf(file) ?? 'yaml');
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    const line = error.line === null ? '' : `:${error.line}`;
    throw new ScriptError([`${visible(file)}${line}: ${visible(error.message)}`]);
  }
}

function stepIssues({ value, placeOf }: ReadText): { place: Place | null; text: string }[] {
  const steps = (value as { steps?: unknown } | null)?.steps;
  if (!Array.isArray(steps)) return [];
  // What is not text is reported with the fields.
  const lines = steps.map((step) => (typeof step === 'string' && step !== '' ? step : 'hang up'));
  return parseSteps(lines).issues.map(({ step, column, message }) => {
    const line = lines[step] as string;
    const indent = line.length - line.trimStart().length;
    return { place: placeOf(['steps', step], indent + column - 1), text: visible(`${line.trim()}: ${message}`) };
  });
}

/** The issues of all fields, where zod has one for several: unknown fields of an object, and the forms of a tool. */
function fieldIssues(issue: Issue, value: unknown): Issue[] {
  const { code, errors } = issue as { readonly code?: string; readonly errors?: readonly (readonly Issue[])[] };
  if (code !== 'invalid_union' || issue.path[0] !== 'tools' || errors === undefined) {
    return issuePerKey(issue, (key) => unknownField(key, issue.path.length === 0 ? scriptNames : resultNames));
  }
  const isList = Array.isArray(valueAt(value, issue.path));
  return (errors[isList ? 1 : 0] ?? []).flatMap((each) =>
    fieldIssues({ ...each, path: [...issue.path, ...each.path] }, value),
  );
}

const scriptNames = Object.keys(simulationScript.shape);
const resultNames = ['result', 'error', 'delayMs'];

function unknownField(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return `is not a known field: ${near === null ? `fields are ${known.join(', ')}` : `did you mean ${near}?`}`;
}

function valueAt(value: unknown, path: Issue['path']): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<PropertyKey, unknown> | null)?.[name], value);
}

function describe({ path, message }: Issue): string {
  return visible(path.length === 0 ? `the script ${message}` : `${fieldName(path as Path)} ${message}`);
}

function placed(file: string, place: Place | null): string {
  return `${visible(file)}${place === null ? '' : `:${place.line}:${place.column}`}`;
}

function order(a: Place | null, b: Place | null): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1);
  return a.line - b.line || a.column - b.column;
}
