import { readMediaBucket, readMediaFolder } from '../../config.ts';
import { type OpenedMedia, openMedia } from '../../storage/open-media.ts';
import type { CommandContext } from '../context.ts';

/** Where the service has its media files. Closes it however the work ends. */
export async function withMedia<T>(
  environment: CommandContext['environment'],
  work: (media: Pick<OpenedMedia, 'store' | 'spool'> & { readonly folder: string }) => Promise<T>,
): Promise<T> {
  const folder = readMediaFolder(environment);
  const { store, spool, close } = await openMedia(folder, readMediaBucket(environment));
  try {
    return await work({ store, spool, folder });
  } finally {
    await close();
  }
}
