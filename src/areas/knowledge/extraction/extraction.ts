/** What a document goes through before it is stored: its type, its text, and the chunks that are searched. */

/** Why a document failed. Those that extraction itself reports are `ExtractionErrorCode`. */
export type DocumentErrorCode =
  | ExtractionErrorCode
  | 'limit_reached'
  | 'upload_expired'
  | 'fetch_failed'
  | 'address_not_allowed';

export type ExtractionErrorCode =
  | 'unsupported_type'
  | 'type_mismatch'
  | 'too_large'
  | 'encrypted'
  | 'corrupt'
  | 'no_text_found'
  | 'timeout'
  | 'internal';

export type DocumentWarningCode = 'pages_without_text' | 'hidden_text_removed' | 'truncated_table' | 'encoding_guessed';

export interface DocumentWarning {
  readonly code: DocumentWarningCode;
  readonly message: string;
}

export interface ExtractionInput {
  /** The absolute path of the source. */
  readonly file: string;
  /** The name of the file, or the last part of the address's path: its extension claims a type. May be empty. */
  readonly name: string;
  /** The header `Content-Type` as the server sent it, or null. */
  readonly contentType: string | null;
  /** A `text` is Markdown. */
  readonly kind: 'text' | 'file' | 'url';
  /** The language of the knowledge base: it decides how sentences end. */
  readonly language: string;
  readonly chunkSize: number;
}

export interface ExtractedChunk {
  readonly index: number;
  readonly headingPath: readonly string[];
  /** From 1; null if the document has no pages. */
  readonly page: number | null;
  /** UTF-16 offsets in the text of the document: `text` is exactly what is between them. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Where headings, paragraphs and table rows are in the text: three numbers for each block, as `blocks.ts` describes, as
 * JSON. Stored beside the text, and only read by `split`.
 */
export type DocumentStructure = string;

/** What is stored of a document, so that a changed chunk size does not need the source. */
export interface DocumentText {
  readonly text: string;
  readonly structure: DocumentStructure;
  /** Where each page starts in the text, or null if the document has no pages. */
  readonly pageOffsets: readonly number[] | null;
}

export interface ExtractedDocument extends DocumentText {
  readonly ok: true;
  readonly mimeType: string;
  /** The title of an HTML page or a PDF; null for others. */
  readonly title: string | null;
  readonly pageCount: number | null;
  /** The length of the text in code points, and its size in UTF-8: counting takes the service too long. */
  readonly characterCount: number;
  readonly textBytes: number;
  readonly warnings: readonly DocumentWarning[];
  readonly chunks: readonly ExtractedChunk[];
}

export interface FailedExtraction {
  readonly ok: false;
  readonly code: ExtractionErrorCode;
  readonly message: string;
  /** Whether the same source may succeed later. */
  readonly retryable: boolean;
}

export type ExtractionResult = ExtractedDocument | FailedExtraction;

export interface SplitInput extends DocumentText {
  readonly language: string;
  readonly chunkSize: number;
}

export interface Extraction {
  /** Rejects only if the signal is aborted or the service is shutting down: the document is then as it was before. */
  extract(workspaceId: string, input: ExtractionInput, signal: AbortSignal): Promise<ExtractionResult>;
  /** The chunks of a stored document, such as for another chunk size. Rejects in the same cases as `extract`. */
  split(workspaceId: string, input: SplitInput, signal: AbortSignal): Promise<SplitResult>;
  close(): Promise<void>;
}

export type SplitResult = { readonly ok: true; readonly chunks: readonly ExtractedChunk[] } | FailedExtraction;
