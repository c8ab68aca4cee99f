import { readFile } from 'node:fs/promises';
import { type Cassette, cassette } from '../../contract/simulations/cassette.ts';
import { check } from '../../core/issues.ts';
import { fieldName } from '../as-code/agent-file.ts';
import type { Path } from '../as-code/document.ts';
import { invalidUsage } from '../failures.ts';
import { visible } from '../terminal/text.ts';

/** The recorded replies of a model, from a JSON file. */
export async function readCassette(path: string): Promise<Cassette> {
  const invalid = (message: string) => invalidUsage(`${visible(path)}: ${message}`);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw invalid('there is no such cassette');
    if (error instanceof SyntaxError) throw invalid('a cassette is a JSON file, and this is not JSON');
    throw error;
  }
  const result = check(cassette, value);
  if ('value' in result) return result.value;
  const lines = result.issues.map(({ path: at, message }) => `  ${visible(fieldName(at as Path))} ${message}`);
  throw invalid(`this is not a valid cassette\n${lines.join('\n')}`);
}
