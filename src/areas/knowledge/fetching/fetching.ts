import type { MediaFile } from '../../../storage/media.ts';

/** What a server said to recognize a version of a page by. Sent only to the address that it came from. */
export interface Validators {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface FetchRequest {
  readonly url: string;
  /** Of the content that is known already. */
  readonly validators: Validators | null;
  /** The media file that the content is written to. */
  readonly file: string;
  readonly signal: AbortSignal;
}

/** The content of a page, decoded, in a media file. */
export interface FetchedContent {
  readonly file: MediaFile;
  /** In hex. */
  readonly sha256: string;
  /** As the server claims it, such as `text/html`; null if it claims none. */
  readonly mimeType: string | null;
  /** Of that claim, in lower case, such as `shift_jis`. */
  readonly charset: string | null;
  readonly validators: Validators | null;
  /** After redirects. */
  readonly url: string;
}

export interface FetchError {
  readonly code: 'fetch_failed' | 'address_not_allowed' | 'too_large' | 'timeout' | 'internal';
  readonly message: string;
  readonly retryable: boolean;
}

export type FetchResult =
  | { readonly as: 'fetched'; readonly content: FetchedContent }
  | { readonly as: 'not_modified' }
  | { readonly as: 'failed'; readonly error: FetchError };

export interface Fetching {
  /** Rejects only if the signal is aborted or the file cannot be written. */
  fetch(request: FetchRequest): Promise<FetchResult>;
}
