import type { LocalFile } from '../beside/local-files.ts';
import { pullBeside } from '../beside/pull.ts';
import type { Format } from '../document.ts';
import type { PulledFile } from '../pulled-file.ts';
import type { WorkspaceState } from '../state.ts';
import {
  digestOfNumber,
  type NumberContent,
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
  const files: readonly LocalFile<NumberContent>[] = await readNumberFiles(folder);
  const references = referencesOf(state, carriers);
  const source = {
    thing: 'number',
    resources: numbers.map((seen) => ({
      key: seen.number,
      id: seen.id,
      name: seen.number,
      content: numberContentOf(seen, references),
      digest: digestOfNumber(seen),
    })),
    entries: state.numbers,
    localOf: (number: string) => files.find(({ content }) => content?.number === number),
    newFile: ({ key }: { readonly key: string }) => `${numbersFolder}/${key}.${format}`,
    short: shortNumber,
    remember: ({ key, digest }: { readonly key: string; readonly digest: string }, _: string, file: string) =>
      void state.numbers.set(key, { content: digest, file }),
  };
  return pullBeside(folder, source, isForced);
}
