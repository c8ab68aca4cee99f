import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Guard } from '../../../net/guard.ts';
import type { MediaFile, MediaStore } from '../../../storage/media.ts';
import { type Download, DownloadError, download, type FetchError, headerOf, type Validators } from './download.ts';

export type { FetchError, Validators } from './download.ts';

export interface FetchRequest {
  readonly url: string;
  /** The validators of the content that is known already. */
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
  /** The header `Content-Type` as the server sent it, or null. */
  readonly contentType: string | null;
  readonly validators: Validators | null;
  /** After redirects. */
  readonly url: string;
}

export type FetchResult =
  | { readonly as: 'fetched'; readonly content: FetchedContent }
  | { readonly as: 'not_modified' }
  | { readonly as: 'failed'; readonly error: FetchError };

export interface Fetching {
  /** Rejects only if the signal is aborted or the file cannot be written. */
  fetch(request: FetchRequest): Promise<FetchResult>;
}

export interface FetchingParts {
  readonly guard: Guard;
  readonly media: MediaStore;
  readonly userAgent: string;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

const pieceBytes = 1024 ** 2;
const accept = 'text/html,application/pdf,text/markdown,text/plain,text/csv,*/*;q=0.5';

export function createFetching(parts: FetchingParts): Fetching {
  const { guard, media, userAgent, maxBytes = 10 * 1024 ** 2, timeoutMs = 30_000 } = parts;
  return {
    fetch: async ({ url, validators, file, signal }) => {
      let page: Download;
      try {
        page = await download(guard, userAgent, { url, accept, maxBytes, timeoutMs, validators, signal });
      } catch (error) {
        if (error instanceof DownloadError) return { as: 'failed', error: error.error };
        throw error;
      }
      const { body } = page;
      if (body === null) return { as: 'not_modified' };
      const digest = createHash('sha256');
      await media.write(file, Readable.from(piecesOf(body, digest)));
      const content = {
        file: { name: file, bytes: body.length },
        sha256: digest.digest('hex'),
        contentType: headerOf(page, 'content-type'),
        validators: validatorsOf(page),
        url: page.url,
      };
      return { as: 'fetched', content };
    },
  };
}

/** The digest of 10 MiB takes several milliseconds, which calls would wait for. */
function* piecesOf(body: Buffer, digest: Hash): Generator<Buffer> {
  for (let start = 0; start < body.length; start += pieceBytes) {
    const piece = body.subarray(start, start + pieceBytes);
    digest.update(piece);
    yield piece;
  }
}

function validatorsOf(page: Download): Validators | null {
  const etag = headerOf(page, 'etag');
  const lastModified = headerOf(page, 'last-modified');
  return etag === null && lastModified === null ? null : { url: page.url, etag, lastModified };
}
