import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from './database.ts';
import type { MediaStore } from './media.ts';
import type { MediaProblem } from './media-check.ts';
import { readSetting, writeSetting } from './settings.ts';

export const mediaPlaceSetting = 'media_place';

/** How often each instance compares. */
export const mediaPlaceMs = 10_000;
/** The instances that have the other place are gone if none has renewed it for so many intervals. */
const maxUnrenewed = 6;

export interface MediaPlaceParts {
  readonly database: Database;
  readonly media: Pick<MediaStore, 'place' | 'setting'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

export type MediaPlace = ReturnType<typeof createMediaPlace>;

/**
 * Finds out whether other instances on the database keep media files somewhere else, for example because they have
 * another MEDIA_URL: the files of one would be missing on the other. Instances that agree renew a row with their place.
 * An instance with another place leaves it alone while it is renewed, and takes it over afterwards, so that all
 * instances can be moved to another bucket. No clocks are compared: a row that was renewed has another value.
 */
export function createMediaPlace({ database, media, logger }: MediaPlaceParts) {
  // Paths of folders are not compared: a shared folder may have another path on each machine.
  const place = media.setting === 'MEDIA_URL' ? media.place : 'a folder';
  const newValue = (): string => `${place}\n${randomBytes(8).toString('hex')}`;
  let seen: string | null = null;
  let unrenewed = 0;
  let otherPlace: string | null = null;

  const setOtherPlace = (found: string | null): void => {
    if (found === otherPlace) return;
    otherPlace = found;
    if (found === null) logger.info({ place }, 'all instances keep media files in the same place again');
    else logger.warn({ place, otherPlace }, 'other instances on this database have another MEDIA_URL');
  };

  return {
    /** Resolves to true if there is more to do immediately. */
    compare: async (): Promise<boolean> => {
      const stored = await readSetting(database, mediaPlaceSetting);
      const found = stored?.split('\n')[0] ?? place;
      if (stored === null || found === place) {
        await writeSetting(database, mediaPlaceSetting, newValue());
        seen = null;
        setOtherPlace(null);
        return false;
      }
      if (stored !== seen) {
        // A row that is seen for the first time may be that of an instance that has just stopped.
        if (seen !== null) setOtherPlace(found);
        seen = stored;
        unrenewed = 0;
        return false;
      }
      unrenewed += 1;
      if (unrenewed < maxUnrenewed) return false;
      const taken = await database.run('UPDATE settings SET value = $1 WHERE name = $2 AND value = $3', [
        newValue(),
        mediaPlaceSetting,
        stored,
      ]);
      return taken > 0;
    },

    /** For `/readyz`. Null: no other instance has another place. */
    problem: (): Pick<MediaProblem, 'setting' | 'message'> | null =>
      otherPlace === null
        ? null
        : {
            setting: 'MEDIA_URL',
            message: `This instance keeps media files in ${place}, and other instances on the database in ${otherPlace}, so recordings and uploads of one are missing on the other. Set the same MEDIA_URL for all.`,
          },
  };
}
