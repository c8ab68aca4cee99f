import type { Migration } from '../migration.ts';

/** Knowledge bases and their documents, whose `doc` is the response body, and what search reads. */
export const knowledge: Migration = {
  version: 20,
  name: 'knowledge',
  statements: ({ idType, integerType, bytesType }) => [
    // `revision`: as in the document; it changes with everything that search can see.
    `CREATE TABLE knowledge_bases (
      workspace_id ${idType} NOT NULL REFERENCES workspaces (id),
      id ${idType} NOT NULL,
      folded_name TEXT NOT NULL,
      etag TEXT NOT NULL,
      doc TEXT NOT NULL,
      doc_version ${integerType} NOT NULL,
      revision ${integerType} NOT NULL,
      UNIQUE (workspace_id, id)
    )`,
    'CREATE UNIQUE INDEX knowledge_bases_by_id ON knowledge_bases (id)',
    // `has_name`: 0 if the name comes from the content. `base_revision`: of the base when search last saw a change of the
    // document. `work`: counts the content that the document was given; a result of earlier content is dropped. `due_at`:
    // when unfinished work, or an upload that has not arrived, has failed. `splitting`: the chunk size and language that
    // its chunks were split with. `failure`: why the newest content failed, as JSON, until there is other content.
    // `validators`: of the served content of a URL, as JSON. `failures`: failed refreshes of a URL in a row. `source_…`:
    // content that is not extracted yet: a text, or a media file with its name and type as claimed, size, digest,
    // validators, and when it was fetched.
    `CREATE TABLE documents (
      workspace_id ${idType} NOT NULL,
      id ${idType} NOT NULL,
      base_id ${idType} NOT NULL,
      type TEXT NOT NULL,
      status TEXT NOT NULL,
      name TEXT NOT NULL,
      folded_name TEXT NOT NULL,
      has_name ${integerType} NOT NULL,
      doc TEXT NOT NULL,
      doc_version ${integerType} NOT NULL,
      revision ${integerType} NOT NULL,
      base_revision ${integerType} NOT NULL,
      chunk_count ${integerType} NOT NULL,
      text_bytes ${integerType} NOT NULL,
      characters ${integerType} NOT NULL,
      splitting TEXT,
      work ${integerType} NOT NULL,
      due_at ${integerType},
      failure TEXT,
      validators TEXT,
      failures ${integerType} NOT NULL,
      source_text TEXT,
      source_file TEXT,
      source_name TEXT,
      source_type TEXT,
      source_bytes ${integerType},
      source_sha256 TEXT,
      source_validators TEXT,
      source_fetched_at ${integerType},
      UNIQUE (workspace_id, id),
      FOREIGN KEY (workspace_id, base_id) REFERENCES knowledge_bases (workspace_id, id)
    )`,
    'CREATE INDEX documents_by_base ON documents (base_id, id)',
    // Counted after every change of a document.
    'CREATE INDEX documents_counts ON documents (base_id, status, chunk_count, text_bytes)',
    'CREATE INDEX documents_due ON documents (due_at) WHERE due_at IS NOT NULL',
    // The text of the revision that is served. `structure`: what splitting it again needs beside it, as JSON.
    `CREATE TABLE document_texts (
      workspace_id ${idType} NOT NULL,
      document_id ${idType} NOT NULL,
      text TEXT NOT NULL,
      page_offsets TEXT,
      structure TEXT,
      UNIQUE (workspace_id, document_id),
      FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id)
    )`,
    // `vector`: 8-bit, by `vector_model`.
    `CREATE TABLE chunks (
      id ${idType} NOT NULL PRIMARY KEY,
      workspace_id ${idType} NOT NULL,
      base_id ${idType} NOT NULL,
      document_id ${idType} NOT NULL,
      document_revision ${integerType} NOT NULL,
      chunk_index ${integerType} NOT NULL,
      heading_path TEXT NOT NULL,
      page ${integerType},
      start_offset ${integerType} NOT NULL,
      end_offset ${integerType} NOT NULL,
      text TEXT NOT NULL,
      vector ${bytesType},
      vector_model TEXT,
      dimensions ${integerType},
      FOREIGN KEY (workspace_id, document_id) REFERENCES documents (workspace_id, id)
    )`,
    'CREATE INDEX chunks_by_document ON chunks (document_id, chunk_index)',
    'CREATE INDEX chunks_by_base ON chunks (base_id, document_id)',
    // Counted after every change of a document.
    'CREATE INDEX chunks_vectors ON chunks (base_id, vector_model, dimensions, id)',
  ],
  backup: ['knowledge_bases', 'documents', 'document_texts', 'chunks'],
};
