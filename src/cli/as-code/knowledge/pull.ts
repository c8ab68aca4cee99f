import type { KnowledgeBase } from '../../../../sdk/src/index.ts';
import { pullBeside } from '../beside/pull.ts';
import type { Format } from '../document.ts';
import { nameKey, newFileNames } from '../file-names.ts';
import type { PulledFile } from '../pulled-file.ts';
import type { WorkspaceState } from '../state.ts';
import { baseContentOf, digestOfBase, knowledgeFolder, readBaseFiles, shortBase } from './base-file.ts';

interface PullBasesOptions {
  readonly format: Format;
  readonly isForced: boolean;
}

/**
 * Updates the files of the bases to the state of the server. Documents are not written: the service keeps their text, and
 * not what they were made from. Bases with the same name cannot be told apart, and have no files.
 */
export async function pullBases(
  folder: string,
  bases: readonly KnowledgeBase[],
  state: WorkspaceState,
  { format, isForced }: PullBasesOptions,
): Promise<PulledFile[]> {
  const files = await readBaseFiles(folder);
  const clear = bases.filter(({ name }) => bases.filter((base) => base.name === name).length === 1);
  const localOf = (name: string) => files.find(({ content }) => content?.name === name);
  const fresh = clear.filter(({ name }) => localOf(name) === undefined);
  const taken = new Set(files.map(({ file }) => nameKey(file.slice(knowledgeFolder.length + 1))));
  const newNames = newFileNames(fresh, `.${format}`, taken);
  const source = {
    thing: 'knowledge base',
    resources: clear.map((base) => ({
      key: base.name,
      id: base.id,
      name: base.name,
      content: baseContentOf(base),
      digest: digestOfBase(base),
    })),
    entries: state.knowledge,
    localOf,
    newFile: ({ id }: { readonly id: string }) => `${knowledgeFolder}/${newNames.get(id)}`,
    short: shortBase,
    remember: ({ key, digest }: { readonly key: string; readonly digest: string }, _: string, file: string) =>
      void state.knowledge.set(key, { content: digest, file }),
  };
  return pullBeside(folder, source, isForced);
}
