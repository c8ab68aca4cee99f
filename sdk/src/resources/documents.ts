import type { ApiPromise } from '../api-promise.ts';
import { NotFoundError, VoiceAgentsError } from '../errors.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { joinedQuery, type RepeatableOptions, type RequestOptions, type Transport } from '../request.ts';
import { wait } from '../retries.ts';
import type {
  Chunk,
  CreateDocument,
  DeletedDocument,
  Document,
  ListDocumentChunksQuery,
  ListDocumentsQuery,
  UpdateDocument,
} from '../schema.ts';
import { sha256Of, type UploadProgress } from '../upload.ts';

const firstPollMs = 100;
const maxPollMs = 2000;

/** Options of `documents.upload`. */
export interface UploadOptions extends RequestOptions {
  /** The name of the file. Default: that of a `File`; required for other blobs and bytes. */
  readonly fileName?: string | undefined;
  /** The name of the document. Default: the name of the file. */
  readonly name?: string | undefined;
  readonly metadata?: CreateDocument['metadata'] | undefined;
  /** Replaces the content of this document instead of adding one. */
  readonly documentId?: string | undefined;
  /** Called while the bytes are sent. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Whether to wait until the document can be searched or has failed. Default: false. */
  readonly waitUntilSettled?: boolean | undefined;
}

/** The parts of documents that search finds. */
export class DocumentChunks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the chunks of a document, in its order. Await one page, or iterate over all with `for await`. */
  list(
    baseId: string,
    documentId: string,
    query: ListDocumentChunksQuery = {},
    options?: RequestOptions,
  ): PagePromise<Chunk> {
    const address = path`/api/v1/knowledge-bases/${baseId}/documents/${documentId}/chunks`;
    return this.#transport.list(address, joinedQuery(query), options);
  }
}

/** Documents of knowledge bases. */
export class Documents {
  readonly chunks: DocumentChunks;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.chunks = new DocumentChunks(transport);
  }

  /** Adds a text or a page. `upload` adds a file. */
  create(baseId: string, body: CreateDocument, options?: RequestOptions & RepeatableOptions): ApiPromise<Document> {
    const address = path`/api/v1/knowledge-bases/${baseId}/documents`;
    return this.#transport.request({ method: 'POST', path: address, body, options });
  }

  /** Lists documents, newest first. Await one page, or iterate over all with `for await`. */
  list(baseId: string, query: ListDocumentsQuery = {}, options?: RequestOptions): PagePromise<Document> {
    return this.#transport.list(path`/api/v1/knowledge-bases/${baseId}/documents`, joinedQuery(query), options);
  }

  get(baseId: string, documentId: string, options?: RequestOptions): ApiPromise<Document> {
    return this.#transport.request({ method: 'GET', path: documentPath(baseId, documentId), options });
  }

  /** Changes the given fields, or the content. */
  update(baseId: string, documentId: string, body: UpdateDocument, options?: RequestOptions): ApiPromise<Document> {
    return this.#transport.request({ method: 'PATCH', path: documentPath(baseId, documentId), body, options });
  }

  /** Deletes a document with its text. No search finds it from then on. */
  delete(baseId: string, documentId: string, options?: RequestOptions): ApiPromise<DeletedDocument> {
    return this.#transport.request({ method: 'DELETE', path: documentPath(baseId, documentId), options });
  }

  /** Fetches a page again, or indexes the kept text of other documents again. */
  refresh(baseId: string, documentId: string, options?: RequestOptions & RepeatableOptions): ApiPromise<Document> {
    const address = path`/api/v1/knowledge-bases/${baseId}/documents/${documentId}/refresh`;
    return this.#transport.request({ method: 'POST', path: address, options });
  }

  /** Adds a file: a `File` or `Blob`, or its bytes. It does not throw if the document fails: see its `status`. */
  async upload(baseId: string, file: Blob | Uint8Array<ArrayBuffer>, options: UploadOptions = {}): Promise<Document> {
    const { fileName, name, metadata, documentId, onProgress, waitUntilSettled = false, ...request } = options;
    const blob = file instanceof Blob ? file : new Blob([file]);
    const sha256 = await sha256Of(blob);
    const body = {
      ...(name !== undefined && { name }),
      ...(metadata !== undefined && { metadata }),
      file: { name: fileName ?? nameOf(file), sizeBytes: blob.size, ...(sha256 !== null && { sha256 }) },
    };
    const document = await (documentId === undefined
      ? this.create(baseId, body, request)
      : this.update(baseId, documentId, body, request));
    // Null: the document has this content already.
    if (document.upload !== null) await this.#send(document, blob, onProgress, request);
    return waitUntilSettled
      ? this.waitUntilSettled(baseId, document.id, request)
      : this.get(baseId, document.id, request);
  }

  /** Waits until a document is `ready` or `failed`. Use `signal` to stop waiting. */
  async waitUntilSettled(baseId: string, documentId: string, options?: RequestOptions): Promise<Document> {
    for (let delayMs = firstPollMs; ; delayMs = Math.min(2 * delayMs, maxPollMs)) {
      const document = await this.get(baseId, documentId, options);
      if (document.status === 'ready' || document.status === 'failed') return document;
      await wait(delayMs, options?.signal);
    }
  }

  async #send(
    { id, knowledgeBaseId, upload }: Document,
    blob: Blob,
    onProgress: UploadOptions['onProgress'],
    options: RequestOptions,
  ): Promise<void> {
    try {
      await this.#transport.upload(upload?.url ?? '', blob, onProgress, options);
    } catch (error) {
      // The URL works once: if the response was lost, the bytes may have arrived.
      if (!(error instanceof NotFoundError) || !error.isAfterLostAnswer) throw error;
      if ((await this.get(knowledgeBaseId, id, options)).status === 'uploading') throw error;
    }
  }
}

function documentPath(baseId: string, documentId: string) {
  return path`/api/v1/knowledge-bases/${baseId}/documents/${documentId}`;
}

function nameOf(file: Blob | Uint8Array): string {
  const name = (file as { readonly name?: unknown }).name;
  if (typeof name === 'string' && name !== '') return name;
  throw new VoiceAgentsError('fileName is required: the type of a file is checked against its name.');
}
