import { createHash } from 'node:crypto';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import type { BucketConfig, Credentials } from '../../config-media.ts';
import { createCredentials } from './credentials.ts';
import { S3Error, s3ErrorOf } from './errors.ts';

export type S3Location = Pick<BucketConfig, 'endpoint' | 'region' | 'bucket' | 'isPathStyle' | 'credentials'>;

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
}

export interface S3Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Dispatcher.ResponseData['body'];
}

export interface S3Settings {
  /** The pauses before the second attempt, the third, and so on. */
  readonly retryDelaysMs: readonly number[];
  /** Without a byte of the response. A part of an upload has to be stored within this time. */
  readonly timeoutMs: number;
}

const defaultSettings: S3Settings = { retryDelaysMs: [100, 400, 1600], timeoutMs: 30_000 };
const connectMs = 5000;
const maxConnections = 16;
const hashStepBytes = 512 * 1024;
/** Errors and lists are short. */
const maxTextBytes = 4 * 1024 ** 2;
const emptyDigest = createHash('sha256').digest('hex');
/** Other credentials may be accepted. */
const credentialCodes: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
  'AccessDenied',
  'RequestExpired',
]);

export type S3Client = ReturnType<typeof createS3Client>;

/** Signed requests to a bucket. They are repeated if the server is overloaded or the connection breaks. */
export function createS3Client(location: S3Location, settings: Partial<S3Settings> = {}) {
  const { retryDelaysMs, timeoutMs } = { ...defaultSettings, ...settings };
  const { region } = location;
  const credentials = createCredentials(location.credentials);
  const dispatcher = new Agent({
    connect: { timeout: connectMs },
    connections: maxConnections,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const signed = async (
    url: string,
    { method, headers }: Pick<S3Request, 'method' | 'headers'>,
    by: Credentials,
    signQuery: boolean,
  ) => {
    const { accessKeyId, secretAccessKey, sessionToken } = by;
    const signer = new AwsV4Signer({
      method,
      url,
      headers: { ...headers },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === null ? {} : { sessionToken }),
      service: 's3',
      region,
      signQuery,
    });
    return signer.sign();
  };

  /** A response with another status than 2xx is an error. */
  const attempt = async (wanted: S3Request, by: Credentials): Promise<S3Response> => {
    const { method, key, query, body, signal } = wanted;
    const digest = body === undefined ? emptyDigest : await sha256(body);
    const given = { ...wanted.headers, 'x-amz-content-sha256': digest };
    const { url, headers } = await signed(urlOf(location, key, query), { method, headers: given }, by, false);
    const response = await request(url, {
      method,
      headers: Object.fromEntries(headers),
      body: body ?? null,
      dispatcher,
      ...(signal === undefined ? {} : { signal }),
    });
    const { statusCode: status } = response;
    if (status < 300) return { status, headers: response.headers, body: response.body };
    throw s3ErrorOf(status, await textOf(response.body));
  };

  const send = async (wanted: S3Request): Promise<S3Response> => {
    const { signal } = wanted;
    let hasRenewed = false;
    for (let tries = 0; ; tries += 1) {
      const by = await credentials.get();
      try {
        return await attempt(wanted, by);
      } catch (error) {
        signal?.throwIfAborted();
        const isRefused = error instanceof S3Error && credentialCodes.has(error.errorCode);
        if (isRefused && !hasRenewed && (await credentials.renewed(by))) {
          hasRenewed = true;
          continue;
        }
        const delayMs = retryDelaysMs[tries];
        if (delayMs === undefined || (error instanceof S3Error && !error.isTemporary)) throw error;
        // All instances would otherwise come back at the same time.
        await delay(delayMs * (0.5 + Math.random()), undefined, { signal });
      }
    }
  };

  return {
    location,
    /** The caller reads the body, or destroys it. */
    send,

    /** For responses that are short texts, or nothing. */
    text: async (wanted: S3Request): Promise<{ readonly text: string; readonly headers: S3Response['headers'] }> => {
      for (let tries = 0; ; tries += 1) {
        const { body, headers } = await send(wanted);
        try {
          return { text: await textOf(body), headers };
        } catch (error) {
          wanted.signal?.throwIfAborted();
          if (tries >= retryDelaysMs.length) throw error;
        }
      }
    },

    /** A URL that anyone can use until it expires. */
    link: async (key: string, query: Readonly<Record<string, string>>, method: 'GET' | 'HEAD', expiresInMs: number) => {
      const seconds = Math.max(1, Math.floor(expiresInMs / 1000));
      const url = urlOf(location, key, { ...query, 'X-Amz-Expires': String(seconds) });
      return (await signed(url, { method }, await credentials.get(), true)).url.href;
    },

    close: (): Promise<void> => dispatcher.destroy(),
  };
}

function urlOf({ endpoint, bucket, isPathStyle }: S3Location, key: string, query: S3Request['query'] = {}): string {
  const url = new URL(endpoint);
  const base = url.pathname.replace(/\/$/, '');
  if (!isPathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = `${base}/${isPathStyle ? `${bucket}${key === '' ? '' : '/'}` : ''}${key}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** In steps, because a part takes longer than what may delay a call. WebCrypto would copy it. */
async function sha256(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let start = 0; start < bytes.length; start += hashStepBytes) {
    if (start > 0) await setImmediate();
    hash.update(bytes.subarray(start, start + hashStepBytes));
  }
  return hash.digest('hex');
}

async function textOf(body: S3Response['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxTextBytes) throw new Error('the response of the object storage is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
