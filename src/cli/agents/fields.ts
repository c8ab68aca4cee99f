import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { isObject } from '../../contract/json-object.ts';
import type { CommandContext } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { visible } from '../terminal/text.ts';

type Fields = Record<string, unknown>;

interface FieldOptions {
  readonly file?: string;
  readonly set?: readonly string[];
  readonly unset?: readonly string[];
  readonly name?: string;
  readonly voiceId?: string;
}

/** Read-only fields, which are in every response but must not be sent. */
const readOnlyFields = ['id', 'workspaceId', 'version', 'isPublished', 'createdAt', 'updatedAt'];

/** The fields of `agents create`. */
export async function newFields(options: FieldOptions, context: CommandContext): Promise<Fields> {
  const fields = await fieldsOf(options, context);
  // Null means "not set" in a response, so in a new agent it is the same as leaving the field out.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The fields of `agents update`. */
export async function changedFields(options: FieldOptions, context: CommandContext): Promise<Fields> {
  const { file, set = [], unset = [] } = options;
  if (file !== undefined || set.length + unset.length > 0) return fieldsOf(options, context);
  throw invalidUsage('nothing to update: use --set, --unset or --file');
}

async function fieldsOf(options: FieldOptions, { stdin }: CommandContext): Promise<Fields> {
  const { file, set = [], unset = [], name, voiceId } = options;
  const fields: Fields = file === undefined ? {} : await readFields(file, stdin);
  if (name !== undefined) fields.name = name;
  if (voiceId !== undefined) fields.voiceId = voiceId;
  for (const assignment of set) setField(fields, assignment);
  for (const path of unset) unsetField(fields, path);
  return fields;
}

async function readFields(file: string, stdin: NodeJS.ReadStream): Promise<Fields> {
  const value = await readObject(file, stdin, 'the fields of an agent');
  return Object.fromEntries(Object.entries(value).filter(([field]) => !readOnlyFields.includes(field)));
}

/** Reads an object from a JSON or YAML file; `-` is standard input. `what` is in it. */
export async function readObject(file: string, stdin: NodeJS.ReadStream, what: string): Promise<Fields> {
  const isStream = file === '-';
  const name = isStream ? 'standard input' : file;
  const value = await parsed(isStream ? await text(stdin) : await contentOf(file), name);
  if (!isObject(value)) throw invalidUsage(`${name} must contain one object with ${what}`);
  return { ...value };
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw invalidUsage(`${file} cannot be read: ${(error as Error).message}`);
  }
}

async function parsed(content: string, name: string): Promise<unknown> {
  try {
    if (name.endsWith('.json')) return JSON.parse(content);
    // Loaded lazily, since most commands do not need it. JSON is valid YAML.
    const { parse } = await import('yaml');
    return parse(content, { prettyErrors: true });
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    throw invalidUsage(`${name} is neither JSON nor YAML: ${visible(reason.replace(/:$/, ''))}`);
  }
}

/** Applies one `--set` option, such as `responseEngine.type=single_prompt`. */
export function setField(fields: Fields, assignment: string): void {
  const split = assignment.indexOf('=');
  if (split < 1) throw invalidUsage(`--set ${visible(assignment)}: must have the form field=value`);
  place(fields, assignment.slice(0, split), jsonOrText(assignment.slice(split + 1)), '--set');
}

/** In a merge patch, null removes a field. */
export function unsetField(fields: Fields, path: string): void {
  place(fields, path, null, '--unset');
}

function place(fields: Fields, path: string, value: unknown, option: string): void {
  const names = path.split('.');
  const last = names.pop() as string;
  if (last === '' || names.includes('')) throw invalidUsage(`${option} ${visible(path)}: a field name is empty`);
  let target = fields;
  for (const name of names) {
    const inner = Object.hasOwn(target, name) ? target[name] : define(target, name, {});
    if (!isObject(inner)) throw invalidUsage(`${option} ${visible(path)}: ${visible(name)} is not an object`);
    target = inner;
  }
  define(target, last, value);
}

/** Plain assignment would set the prototype for a field called `__proto__`. */
export function define<T>(target: Fields, name: string, value: T): T {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  return value;
}

/** A value on the command line: JSON if it is valid JSON. */
export function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
