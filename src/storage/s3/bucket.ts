import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { BucketConfig } from '../../config-media.ts';
import { createSlots } from '../../core/slots.ts';
import type { MediaFile, MediaFolder, MediaStore } from '../media.ts';
import { checkMediaName } from '../media.ts';
import { createS3Client, type S3Client, type S3Settings } from './client.ts';
import { isMissing, isRefused, isUnsupported, S3Error } from './errors.ts';
import { elementsIn, textIn } from './xml.ts';

export interface BucketParts {
  /** For files on their way into and out of the bucket. */
  readonly spool: MediaFolder;
  readonly settings?: Partial<S3Settings>;
  readonly partBytes?: number;
}

/** The smallest part that S3 allows, so that an upload needs little memory. With 10,000 parts, 50 GB. */
const defaultPartBytes = 5 * 1024 ** 2;
/** Each has one part in memory. */
const maxUploads = 2;
/** How often an interrupted download goes on where it was. */
const maxResumes = 3;
/** For giving up an upload when there is no time left. */
const maxGiveUpMs = 2000;
/** No media file can have this name. */
const probeKey = '.writable';

/** Media files as objects of a bucket. */
export function createMediaBucket(
  config: BucketConfig,
  { spool, settings, partBytes = defaultPartBytes }: BucketParts,
) {
  const client = createS3Client(config, settings);
  const slots = createSlots(maxUploads);
  const keyOf = (name: string): string => `${config.prefix}${checkMediaName(name)}`;

  const find = async (name: string, signal?: AbortSignal): Promise<MediaFile | null> => {
    try {
      const { headers } = await client.text({ method: 'HEAD', key: keyOf(name), signal });
      return { name, bytes: Number(headers['content-length'] ?? 0) };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };

  const writeFile = (name: string, path: string, signal?: AbortSignal): Promise<void> =>
    slots.use(() => upload(client, { key: keyOf(name), path, partBytes, signal }));

  const remove = async (name: string): Promise<void> => {
    const key = keyOf(name);
    await client.text({ method: 'DELETE', key }).catch((error) => {
      if (!isMissing(error)) throw error;
    });
    await abortUploads(client, key);
  };

  const store: MediaStore = {
    place: `the bucket ${bucketUrl(config)}`,
    setting: 'MEDIA_URL',
    find,
    writeFile,
    remove,

    /** First to the spool: a slow sender must not take the memory of a part, and a part may have to be sent again. */
    write: (name, content) =>
      withTemporary(spool, async (temporary) => {
        await spool.write(temporary, content);
        await writeFile(name, spool.path(temporary));
      }),

    read: (name, range) => download(client, keyOf(name), range),

    withLocal: (name, use) =>
      withTemporary(spool, async (temporary) => {
        await spool.write(temporary, download(client, keyOf(name)));
        return use(spool.path(temporary));
      }),

    removeFolder: async (name) => {
      const prefix = `${keyOf(name)}/`;
      for await (const { key } of objects(client, prefix)) await client.text({ method: 'DELETE', key });
      await abortUploads(client, prefix);
    },

    filesIn: async (name) => {
      const files: { name: string; modifiedAt: number }[] = [];
      for await (const { key, modifiedAt } of objects(client, `${keyOf(name)}/`)) {
        files.push({ name: key.slice(config.prefix.length), modifiedAt });
      }
      return files;
    },

    async *list() {
      for await (const { key, bytes } of objects(client, config.prefix)) {
        const name = key.slice(config.prefix.length);
        if (name !== probeKey) yield { name, bytes };
      }
    },

    link: async (name, { type, method, expiresInMs }) =>
      config.hasLinks ? client.link(keyOf(name), { 'response-content-type': type }, method, expiresInMs) : null,

    checkWritable: async () => {
      const key = `${config.prefix}${probeKey}`;
      await client.text({ method: 'PUT', key, body: new Uint8Array(1) });
      await client.text({ method: 'DELETE', key });
    },

    checkUploads: async () => {
      const key = `${config.prefix}${probeKey}`;
      const uploadId = await begin(client, key);
      try {
        await listUploads(client, key);
        await client.text({ method: 'DELETE', key, query: { uploadId } });
        return null;
      } catch (error) {
        await abortUpload(client, key, uploadId).catch(() => {});
        if (isUnsupported(error) || isRefused(error)) return (error as S3Error).message;
        throw error;
      }
    },
  };
  return { store, close: client.close };
}

const temporaryFolder = 'transfers';

async function withTemporary<T>(spool: MediaFolder, work: (name: string) => Promise<T>): Promise<T> {
  const name = `${temporaryFolder}/${randomBytes(12).toString('hex')}`;
  try {
    return await work(name);
  } finally {
    await spool.remove(name);
  }
}

/** For the operator. */
function bucketUrl({ bucket, prefix }: BucketConfig): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix.replace(/\/$/, '')}`}`;
}

interface Upload {
  readonly key: string;
  readonly path: string;
  readonly partBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** One part after the other, so that one part is in memory. */
async function upload(client: S3Client, { key, path, partBytes, signal }: Upload): Promise<void> {
  signal?.throwIfAborted();
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const buffer = Buffer.allocUnsafeSlow(Math.min(size, partBytes));
    const read = async (position: number): Promise<Buffer> => {
      const length = Math.min(buffer.length, size - position);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await file.read(buffer, done, length - done, position + done);
        if (bytesRead === 0) throw new Error('the file has become shorter');
        done += bytesRead;
      }
      return buffer.subarray(0, length);
    };
    if (size <= partBytes) {
      await client.text({ method: 'PUT', key, body: await read(0), signal });
      return;
    }
    // A process that was lost may have left uploads behind.
    await abortUploads(client, key, signal);
    const uploadId = await begin(client, key, signal);
    try {
      const tags: string[] = [];
      for (let position = 0; position < size; position += partBytes) {
        const query = { partNumber: String(tags.length + 1), uploadId };
        const { headers } = await client.text({ method: 'PUT', key, query, body: await read(position), signal });
        tags.push(String(headers.etag));
      }
      await complete(client, { key, uploadId, tags, size, signal });
    } catch (error) {
      const giveUpSignal = signal?.aborted === true ? AbortSignal.timeout(maxGiveUpMs) : signal;
      await abortUpload(client, key, uploadId, giveUpSignal).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}

async function begin(client: S3Client, key: string, signal?: AbortSignal): Promise<string> {
  const { text } = await client.text({ method: 'POST', key, query: { uploads: '' }, signal });
  const uploadId = textIn(text, 'UploadId');
  if (uploadId === undefined) throw new Error('the object storage has not begun an upload in parts');
  return uploadId;
}

interface PartsOfUpload extends Pick<Upload, 'key' | 'signal'> {
  readonly uploadId: string;
  readonly tags: readonly string[];
  readonly size: number;
}

async function complete(client: S3Client, { key, uploadId, tags, size, signal }: PartsOfUpload): Promise<void> {
  const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  try {
    const { text } = await client.text({ method: 'POST', key, query: { uploadId }, body, signal });
    // The status was sent before the parts were joined.
    if (textIn(text, 'Code') !== undefined)
      throw new S3Error(500, textIn(text, 'Code') as string, 'the parts could not be joined');
  } catch (error) {
    if (!(error instanceof S3Error) || error.errorCode !== 'NoSuchUpload') throw error;
    // The response to an earlier attempt may have been lost.
    const { headers } = await client.text({ method: 'HEAD', key, signal });
    if (Number(headers['content-length']) !== size) throw error;
  }
}

/** Those of this key, or of all keys that start with it, that were never completed. */
async function listUploads(client: S3Client, prefix: string, signal?: AbortSignal) {
  const { text } = await client.text({ method: 'GET', key: '', query: { uploads: '', prefix }, signal });
  return elementsIn(text, 'Upload').flatMap((upload) => {
    const key = textIn(upload, 'Key');
    const uploadId = textIn(upload, 'UploadId');
    return key?.startsWith(prefix) && uploadId !== undefined ? [{ key, uploadId }] : [];
  });
}

/** Aborts them. Where that is not possible or not allowed, a rule of the bucket has to. */
async function abortUploads(client: S3Client, prefix: string, signal?: AbortSignal): Promise<void> {
  try {
    for (const { key, uploadId } of await listUploads(client, prefix, signal))
      await abortUpload(client, key, uploadId, signal);
  } catch (error) {
    if (!isUnsupported(error) && !isRefused(error)) throw error;
  }
}

async function abortUpload(client: S3Client, key: string, uploadId: string, signal?: AbortSignal): Promise<void> {
  await client.text({ method: 'DELETE', key, query: { uploadId }, signal }).catch((error) => {
    if (!isMissing(error) && !isUnsupported(error)) throw error;
  });
}

interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

async function* objects(client: S3Client, prefix: string): AsyncGenerator<StoredObject> {
  let token: string | undefined;
  do {
    const query = { 'list-type': '2', prefix, ...(token === undefined ? {} : { 'continuation-token': token }) };
    const { text } = await client.text({ method: 'GET', key: '', query });
    for (const content of elementsIn(text, 'Contents')) {
      const key = textIn(content, 'Key') ?? '';
      const modifiedAt = Date.parse(textIn(content, 'LastModified') ?? '');
      yield { key, bytes: Number(textIn(content, 'Size')), modifiedAt };
    }
    token = textIn(text, 'IsTruncated') === 'true' ? textIn(text, 'NextContinuationToken') : undefined;
  } while (token !== undefined);
}

/** Goes on where it was if the connection breaks, as long as it is the same object. */
async function* download(
  client: S3Client,
  key: string,
  range?: { readonly start: number; readonly end: number },
): AsyncGenerator<Buffer> {
  let position = range?.start ?? 0;
  let tag: string | undefined;
  let end = Number.POSITIVE_INFINITY;
  for (let resumes = 0; ; resumes += 1) {
    const isPart = position > 0 || range !== undefined;
    const { headers, body } = await client.send({
      method: 'GET',
      key,
      headers: {
        ...(isPart ? { range: `bytes=${position}-${range?.end ?? ''}` } : {}),
        ...(tag === undefined ? {} : { 'if-match': tag }),
      },
    });
    tag = headers.etag as string | undefined;
    end = position + Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        position += chunk.length;
        yield chunk;
      }
      return;
    } catch (error) {
      if (position >= end) return;
      if (resumes >= maxResumes) throw error;
    }
  }
}
