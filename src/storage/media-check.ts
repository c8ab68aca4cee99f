import type { MediaStore } from './media.ts';

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
