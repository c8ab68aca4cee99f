import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, printResult } from '../context.ts';
import { invalidUsage } from '../failures.ts';

interface AddOptions extends CommandOptions {
  readonly file?: string;
  readonly reason?: string;
}

export async function addDoNotCall(
  named: readonly string[],
  { file, reason, ...options }: AddOptions,
  context: CommandContext,
): Promise<void> {
  const numbers = [...named, ...(file === undefined ? [] : await linesOf(file, context))];
  if (numbers.length === 0) throw invalidUsage('no number given: name numbers, or a file with --file');
  const { client } = await connect(options, context.environment);
  const result = await client.doNotCall.add({ numbers, ...(reason !== undefined && { reason }) });
  const { added, known } = result;
  const already = known === 0 ? '' : `; ${known} already on the list`;
  await printResult(result, `${added} added${already}.\n`, options, context);
}

async function linesOf(file: string, { stdin }: CommandContext): Promise<string[]> {
  const content = file === '-' ? await text(stdin) : await contentOf(file);
  return content
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw invalidUsage(`${file} cannot be read: ${(error as Error).message}`);
  }
}
