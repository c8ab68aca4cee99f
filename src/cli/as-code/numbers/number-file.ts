import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { PhoneNumber } from '../../../../sdk/src/index.ts';
import { defaultInbound, defaultOutbound, importNumberBody } from '../../../contract/phone/phone-number.ts';
import { phoneNumberIssue } from '../../../contract/phone-number.ts';
import { check } from '../../../core/issues.ts';
import { digestOfText, type FileIssue, fieldName, issuePerKey } from '../agent-file.ts';
import { digest } from '../content.ts';
import { type Format, formatOf, type Path, readBytes, TextError } from '../document.ts';
import { compare } from '../file-names.ts';
import { isPlainName } from '../folder.ts';

/** The directory of the number files, beside those of the agents. */
export const numbersFolder = 'numbers';

const reference = z.string().min(1).max(300);
const { agentId: _, ...inbound } = importNumberBody.shape.inbound.unwrap().shape;
const { agentIds: __, ...outbound } = importNumberBody.shape.outbound.unwrap().shape;

/** Agents are named by their file, and the carrier by its name: both may also be ids. Never a credential. */
const schema = z.strictObject({
  number: z.string({ error: 'must be in quotes, such as "+81312345678"' }).superRefine((given, context) => {
    const message = phoneNumberIssue(given);
    if (message !== null) context.addIssue({ code: 'custom', message });
  }),
  carrier: reference,
  name: importNumberBody.shape.name,
  inbound: z.strictObject({ agent: reference.nullable().default(null), ...inbound }).prefault({}),
  outbound: z.strictObject({ agents: z.array(reference).max(100).default([]), ...outbound }).prefault({}),
});

/** Everything about a phone number that a file contains, with defaults filled in. */
export interface NumberContent {
  readonly number: string;
  readonly carrier: string;
  readonly name: string;
  readonly inbound: Omit<PhoneNumber['inbound'], 'agentId'> & { readonly agent: string | null };
  readonly outbound: Omit<PhoneNumber['outbound'], 'agentIds'> & { readonly agents: readonly string[] };
}

export interface NumberFile {
  /** With the directory, such as `numbers/+81312345678.yaml`. */
  readonly file: string;
  readonly digest: string;
  /** Null if the file is invalid. */
  readonly content: NumberContent | null;
  readonly issues: readonly FileIssue[];
}

/** How resources are named in files. */
export interface References {
  readonly agent: (id: string) => string;
  readonly carrier: (id: string) => string;
}

export async function readNumberFiles(folder: string): Promise<NumberFile[]> {
  const path = join(folder, numbersFolder);
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const files: NumberFile[] = [];
  for (const name of names.filter(isPlainName).sort(compare)) {
    files.push(readNumberFile(`${numbersFolder}/${name}`, await readFile(join(path, name)), formatOf(name) as Format));
  }
  return withoutDuplicates(files);
}

function readNumberFile(file: string, bytes: Buffer, format: Format): NumberFile {
  const own = { file, digest: digestOfText(bytes.toString()) };
  const invalid = (issues: readonly FileIssue[]): NumberFile => ({ ...own, content: null, issues });
  try {
    const { value, lineOf } = readBytes(bytes, format);
    const result = check(schema, value);
    if ('value' in result) return { ...own, content: completed(result.value), issues: [] };
    const issues = result.issues.flatMap((issue) => issuePerKey(issue, () => 'is not a known field'));
    return invalid(
      issues.map(({ path, message }) => {
        const field = path.length === 0 ? null : fieldName(path as Path);
        return { file, line: lineOf(path as Path), field, message };
      }),
    );
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    return invalid([{ file, line: error.line, field: null, message: error.message }]);
  }
}

/** A number has one file. */
function withoutDuplicates(files: readonly NumberFile[]): NumberFile[] {
  const first = new Map<string, string>();
  return files.map((one) => {
    const number = one.content?.number;
    const earlier = number === undefined ? undefined : first.get(number);
    if (number !== undefined && earlier === undefined) first.set(number, one.file);
    if (earlier === undefined) return one;
    const issue = { file: one.file, line: null, field: 'number', message: `is also in ${earlier}` };
    return { ...one, content: null, issues: [issue] };
  });
}

function completed(given: z.output<typeof schema>): NumberContent {
  const { agentId: _, ...inboundDefaults } = defaultInbound;
  const { agentIds: __, ...outboundDefaults } = defaultOutbound;
  return {
    number: given.number,
    carrier: given.carrier,
    name: given.name ?? given.number,
    inbound: plain({ ...inboundDefaults, ...given.inbound }),
    outbound: plain({ ...outboundDefaults, ...given.outbound }),
  } as NumberContent;
}

function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** The part of a number on the server that a file contains. */
export function numberContentOf(phoneNumber: PhoneNumber, references: References): NumberContent {
  const { number, name, carrierId } = phoneNumber;
  const { enabled, agentId, ...inbound } = phoneNumber.inbound;
  const { enabled: isCalling, agentIds, ...outbound } = phoneNumber.outbound;
  return {
    number,
    carrier: references.carrier(carrierId),
    name,
    inbound: { enabled, agent: agentId === null ? null : references.agent(agentId), ...inbound },
    outbound: { enabled: isCalling, agents: agentIds.map(references.agent), ...outbound },
  };
}

const defaults = {
  inbound: { agent: null, ...defaultInbound },
  outbound: { agents: [], ...defaultOutbound },
} as const;

/** The content without defaults, as it is written to a file. */
export function shortNumber(content: NumberContent): Record<string, unknown> {
  const { number, carrier, name } = content;
  const parts = (['inbound', 'outbound'] as const).map((part) => {
    const known: Readonly<Record<string, unknown>> = defaults[part];
    const fields = Object.entries(content[part]).filter(([field, value]) => !isDeepStrictEqual(value, known[field]));
    return [part, Object.fromEntries(fields)] as const;
  });
  const shown = parts.filter(([, fields]) => Object.keys(fields).length > 0);
  return { number, carrier, ...(name === number ? {} : { name }), ...Object.fromEntries(shown) };
}

/** What a number was on the server, independent of the names of files. */
export function digestOfNumber({ name, inbound, outbound }: PhoneNumber): string {
  return digest(JSON.stringify({ name, inbound, outbound }));
}
