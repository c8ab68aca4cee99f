import { readFile } from 'node:fs/promises';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import { isObject } from '../../contract/json-object.ts';
import { findAgent } from '../agents/find.ts';
import { fieldName } from '../as-code/agent-file.ts';
import { formatOf, type Path, type ReadText, readBytes, TextError } from '../as-code/document.ts';
import { invalidUsage } from '../failures.ts';
import { findNumber } from '../phone/find.ts';
import { visible } from '../terminal/text.ts';
import { checkWorkflow, type WorkflowContent } from './content.ts';
import { referencesIn, renamed } from './references.ts';

/** Fields of a response, which a file made from one may contain. */
const readOnlyFields = ['workspaceId', 'version', 'disabledReason', 'createdAt', 'updatedAt'];

export interface WorkflowFile {
  /** The id of the workflow that the file was made from. */
  readonly id: string | null;
  readonly content: WorkflowContent;
}

/** A YAML or JSON file with one workflow. Reports every problem at once, each with its line. */
export async function readWorkflowFile(file: string): Promise<WorkflowFile> {
  const { value, lineOf } = await read(file);
  if (!isObject(value)) throw invalidUsage(`${visible(file)} must contain one workflow`);
  const fields = Object.entries(value).filter(([name]) => name !== 'id' && !readOnlyFields.includes(name));
  const result = checkWorkflow(Object.fromEntries(fields));
  if ('content' in result) return { id: typeof value.id === 'string' ? value.id : null, content: result.content };
  const lines = result.issues.map(({ path, message }) => {
    const line = lineOf(path as Path);
    const place = `${visible(file)}${line === null ? '' : `:${line}`}`;
    return `\n  ${place}: ${visible(`${fieldName(path as Path)} ${message}`.trim())}`;
  });
  throw invalidUsage(`${visible(file)} is not a valid workflow${lines.join('')}`);
}

async function read(file: string): Promise<ReadText> {
  try {
    return readBytes(await readFile(file), formatOf(file) ?? 'yaml');
  } catch (error) {
    if (!(error instanceof TextError))
      throw invalidUsage(`${visible(file)} cannot be read: ${(error as Error).message}`);
    const place = error.line === null ? '' : `:${error.line}`;
    throw invalidUsage(`${visible(file)}${place}: ${visible(error.message)}`);
  }
}

/** The content with ids for the agents and phone numbers that the file names otherwise. */
export async function withIds(client: VoiceAgents, content: WorkflowContent): Promise<WorkflowContent> {
  const { agents, numbers } = referencesIn(content);
  const ids = new Map<string, string>();
  for (const name of agents) ids.set(name, name.startsWith('agt_') ? name : (await findAgent(client, name)).id);
  for (const name of numbers) ids.set(name, name.startsWith('+') ? (await findNumber(client, name)).id : name);
  const idOf = (name: string) => ids.get(name) as string;
  return renamed(content, { agent: idOf, number: idOf });
}
