import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { digestOfText } from '../agent-file.ts';
import { type Format, formatOf, writeText } from '../document.ts';
import { removeFrom, writeInto } from '../folder.ts';
import type { PulledFile } from '../pulled-file.ts';
import type { WorkspaceState } from '../state.ts';
import {
  digestOfNumber,
  type NumberFile,
  numberContentOf,
  numbersFolder,
  readNumberFiles,
  shortNumber,
} from './number-file.ts';
import { referencesOf, type SeenNumbers } from './plan.ts';

interface PullNumbersOptions {
  readonly format: Format;
  readonly isForced: boolean;
}

/** Updates the files of the numbers to the state of the server, without overwriting local changes. */
export async function pullNumbers(
  folder: string,
  { numbers, carriers }: SeenNumbers,
  state: WorkspaceState,
  { format, isForced }: PullNumbersOptions,
): Promise<PulledFile[]> {
  const path = join(folder, numbersFolder);
  const files = await readNumberFiles(folder);
  const references = referencesOf(state, carriers);
  const pulled: PulledFile[] = [];
  for (const seen of numbers) {
    const { number, id } = seen;
    const local = files.find(({ content }) => content?.number === number);
    const entry = state.numbers.get(number);
    const file = local?.file ?? `${numbersFolder}/${number}.${format}`;
    const content = numberContentOf(seen, references);
    const note = (result: PulledFile['result'], reason: string | null = null) =>
      pulled.push({ file, id, name: number, result, reason });
    const text = writeText(shortNumber(content), formatOf(file) as Format);
    const remember = (digest: string) => state.numbers.set(number, { content: digestOfNumber(seen), file: digest });
    if (local !== undefined && isDeepStrictEqual(local.content, content)) {
      remember(local.digest);
      note('unchanged');
    } else if (local !== undefined && local.digest !== entry?.file && !isForced) {
      if (entry?.content === digestOfNumber(seen)) note('kept', 'changed locally');
      else note('conflict', 'differs from the number on the server');
    } else {
      await mkdir(path, { recursive: true });
      await writeInto(path, basename(file), text, false);
      remember(digestOfText(text));
      note('written');
    }
  }
  const known = new Set(numbers.map(({ number }) => number));
  for (const [number, entry] of [...state.numbers]) {
    if (!known.has(number)) pulled.push(...(await forget(path, number, entry.file, files, state, isForced)));
  }
  return pulled;
}

/** A number that is no longer on the server. */
async function forget(
  path: string,
  number: string,
  digest: string,
  files: readonly NumberFile[],
  state: WorkspaceState,
  isForced: boolean,
): Promise<PulledFile[]> {
  const local = files.find(({ content }) => content?.number === number);
  const place = { file: local?.file ?? '', id: number, name: number };
  if (local !== undefined && local.digest !== digest && !isForced) {
    return [{ ...place, result: 'conflict', reason: 'deleted on the server, but changed locally' }];
  }
  state.numbers.delete(number);
  if (local === undefined) return [];
  await removeFrom(path, basename(local.file));
  return [{ ...place, result: 'removed', reason: null }];
}
