import { readFile } from 'node:fs/promises';
import { invalidUsage } from './failures.ts';

/** The JSON of a file that an option or an argument names. */
export async function readJsonFile(file: string, what: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw invalidUsage(`cannot read ${what} from ${file}: ${(error as Error).message}`);
  }
}
