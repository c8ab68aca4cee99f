import type { MediaStore } from './media.ts';

/** Something that does not work although it should, in words. */
export interface MediaProblem {
  readonly setting: MediaStore['setting'];
  readonly message: string;
  readonly place: string;
  readonly reason: string;
}

/** Every check of a bucket is two requests, which are paid for. */
const bucketCachedMs = 60_000;

/** Checks where files are written, and where they are before. */
export function createMediaChecks(
  media: MediaStore,
  spool: MediaStore,
  options: Pick<MediaCheckOptions, 'timeoutMs'> = {},
): () => Promise<MediaProblem[]> {
  const checkSpool = createMediaCheck(spool, options);
  const checkBucket =
    media === spool ? async () => null : createMediaCheck(media, { cachedMs: bucketCachedMs, ...options });
  return async () => {
    const [spoolReason, bucketReason] = await Promise.all([checkSpool(), checkBucket()]);
    const problems: MediaProblem[] = [];
    const add = ({ setting, place }: MediaStore, reason: string, effect: string): void => {
      const message = `T${place.slice(1)} cannot be written (${reason}), so ${effect}.`;
      problems.push({ setting, place, reason, message });
    };
    if (spoolReason !== null) add(spool, spoolReason, 'calls are not recorded');
    if (bucketReason !== null) add(media, bucketReason, 'recordings wait in MEDIA_DIR until it can be');
    return problems;
  };
}

/** Why no file can be written, such as `EACCES`, or null. */
export type CheckMedia = () => Promise<string | null>;

interface MediaCheckOptions {
  /** How long a result is used, because anyone may ask. */
  readonly cachedMs?: number;
  /** A network file system may not respond at all. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** Checks whether media files can be written, with one check at a time. */
export function createMediaCheck(
  media: Pick<MediaStore, 'checkWritable'>,
  { cachedMs = 5000, timeoutMs = 1000, now = () => performance.now() }: MediaCheckOptions = {},
): CheckMedia {
  let running: Promise<string | null> | null = null;
  let last: { readonly problem: string | null; readonly at: number } | null = null;

  const check = (): Promise<string | null> => {
    running ??= media
      .checkWritable()
      .then(
        () => null,
        ({ code, message }: NodeJS.ErrnoException) => code ?? message,
      )
      .then((problem) => {
        last = { problem, at: now() };
        running = null;
        return problem;
      });
    return running;
  };

  return async () => {
    if (last !== null && now() - last.at < cachedMs) return last.problem;
    const timeout = Promise.withResolvers<string>();
    const timer = setTimeout(() => timeout.resolve('no response'), timeoutMs);
    try {
      return await Promise.race([check(), timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
