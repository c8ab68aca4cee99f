import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { PhoneNumber } from '../../../../sdk/src/index.ts';
import { defaultInbound, defaultOutbound, importNumberBody } from '../../../contract/phone/phone-number.ts';
import { phoneNumberIssue } from '../../../contract/phone-number.ts';
import { check } from '../../../core/issues.ts';
import { issuePerKey } from '../agent-file.ts';
import { type CheckedContent, type LocalFile, readLocalFiles, withoutDuplicates } from '../beside/local-files.ts';
import { digest } from '../content.ts';

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

export type NumberFile = LocalFile<NumberContent>;

/** How resources are named in files. */
export interface References {
  readonly agent: (id: string) => string;
  readonly carrier: (id: string) => string;
}

export async function readNumberFiles(folder: string): Promise<NumberFile[]> {
  return withoutDuplicates(await readLocalFiles(folder, numbersFolder, checkNumber), 'number');
}

function checkNumber(value: unknown): CheckedContent<NumberContent> {
  const result = check(schema, value);
  if ('value' in result) return { content: completed(result.value) };
  return { issues: result.issues.flatMap((issue) => issuePerKey(issue, () => 'is not a known field')) };
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
