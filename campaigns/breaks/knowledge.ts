import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'the chunks of the revision before stay',
    engine: 'sqlite',
    in: 'createChunkStore.replace',
    statement: 'await removeChunks(queries, removed, pause)',
  },
  {
    about: 'a deleted document leaves its text',
    engine: 'postgres',
    in: 'createDocumentStore.remove',
    statement: 'DELETE FROM document_texts',
  },
  {
    about: 'the source of a document stays after its text was extracted',
    engine: 'sqlite',
    in: 'createSettling.withoutSource',
    statement: 'await files.remove(',
  },
  {
    about: 'chunks that are gone stay in the index',
    engine: 'both',
    in: 'Loading.#replaceChunksOf',
    statement: 'for (const chunk of known.values()) this.#removed.add(chunk)',
  },
  {
    about: 'a search does not notice that its index is not the newest',
    engine: 'postgres',
    in: 'Searching.#complete',
    replace: 'if (revision === base.revision) {',
    with: 'if (revision !== undefined) {',
  },
];
