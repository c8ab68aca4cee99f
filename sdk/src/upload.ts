import { ConnectionError } from './errors.ts';

/** How much of a file has been sent. */
export interface UploadProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

/** What is used of the `XMLHttpRequest` of browsers, whose types are not known to programs for Node.js. */
interface Xhr {
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  readonly status: number;
  readonly responseText: string;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  onloadend: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob): void;
  abort(): void;
}

type OnProgress = (progress: UploadProgress) => void;

/** A `fetch` that sends a file and reports how much of it has been sent. */
export function sendFile(file: Blob, send: typeof fetch, onProgress: OnProgress | undefined): typeof fetch {
  return (url, init) => {
    if (onProgress === undefined) return send(url, { ...init, body: file });
    const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Xhr };
    // Browsers report the progress of an upload only there, and stream bodies only over HTTP/2.
    if (XMLHttpRequest !== undefined) {
      return sendByXhr(new XMLHttpRequest(), String(url), init ?? {}, { file, onProgress });
    }
    const streamed = { ...init, body: counted(file, onProgress), duplex: 'half' };
    return send(url, streamed as RequestInit);
  };
}

function counted(file: Blob, onProgress: OnProgress): ReadableStream<Uint8Array> {
  let sentBytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      controller.enqueue(chunk);
      sentBytes += chunk.byteLength;
      onProgress({ sentBytes, totalBytes: file.size });
    },
  });
  return file.stream().pipeThrough(counter as ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>);
}

function sendByXhr(
  request: Xhr,
  url: string,
  init: RequestInit,
  { file, onProgress }: { readonly file: Blob; readonly onProgress: OnProgress },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = () => request.abort();
    request.open(init.method ?? 'PUT', url);
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress({ sentBytes: loaded, totalBytes: file.size });
    request.onload = () => {
      const { status, responseText } = request;
      resolve(new Response(responseText, { status, headers: headersOf(request) }));
    };
    request.onerror = () => reject(new ConnectionError(`No complete response from ${new URL(url).origin}.`));
    request.onabort = () => reject(init.signal?.reason);
    request.onloadend = () => init.signal?.removeEventListener('abort', abort);
    init.signal?.addEventListener('abort', abort, { once: true });
    request.send(file);
  });
}

function headersOf(request: Xhr): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const [name = '', ...value] = line.split(': ');
    if (name !== '') headers.append(name, value.join(': '));
  }
  return headers;
}

/** In hexadecimal; null in a browser on a page without TLS, which may not compute it. */
export async function sha256Of(file: Blob): Promise<string | null> {
  const subtle: SubtleCrypto | undefined = crypto.subtle;
  if (subtle === undefined) return null;
  const digest = await subtle.digest('SHA-256', await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
