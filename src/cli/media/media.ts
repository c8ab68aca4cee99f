import type { MediaStore } from '../../storage/media.ts';
import { createMediaChecks } from '../../storage/media-check.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failures.ts';
import { labelled } from '../terminal/fields.ts';
import { counted, jsonLine } from '../terminal/text.ts';
import { withMedia } from './open.ts';

/** Nobody waits for it but the operator. */
const timeoutMs = 30_000;

interface Options {
  readonly json?: boolean;
}

export async function runMediaCheck({ json = false }: Options, { environment, stdout }: CommandContext) {
  await withMedia(environment, async ({ store, spool }) => {
    const problems = await createMediaChecks(store, spool.folder, { timeoutMs })();
    const uploads = problems.length === 0 ? await checkUploads(store) : null;
    if (uploads !== null) problems.push({ setting: store.setting, place: store.place, ...uploads });
    if (json) stdout.write(jsonLine({ place: store.place, problems }));
    const messages = problems.map(({ message }) => message).join('\n');
    if (problems.length > 0 && uploads?.isWarning !== true) throw new CommandError(messages);
    if (!json) stdout.write(`Files can be written to ${store.place}.\n${messages === '' ? '' : `${messages}\n`}`);
  });
}

/** Recordings of more than a minute or two are uploaded in parts, which is allowed and refused separately. */
async function checkUploads(store: MediaStore) {
  try {
    const reason = await store.checkUploads();
    if (reason === null) return null;
    const message = `Uploads in parts that are never completed cannot be listed and aborted (${reason}): allow it, or set a rule of the bucket that aborts them.`;
    return { isWarning: true, reason, message };
  } catch (error) {
    const reason = (error as Error).message;
    return { isWarning: false, reason, message: `Files cannot be uploaded in parts to ${store.place} (${reason}).` };
  }
}

export async function runMediaUpload({ json = false }: Options, { environment, stdout }: CommandContext) {
  await withMedia(environment, async ({ store, spool, folder }) => {
    if (store === spool.folder) throw new CommandError('set MEDIA_URL to the bucket that the files are copied to');
    const counts = { copied: 0, skipped: 0, bytes: 0 };
    for await (const { name, bytes } of spool.folder.list()) {
      // These are on their way already.
      if (/^(pieces|transfers)\//.test(name)) continue;
      if ((await store.find(name))?.bytes === bytes) {
        counts.skipped += 1;
        continue;
      }
      await store.writeFile(name, spool.folder.path(name));
      counts.copied += 1;
      counts.bytes += bytes;
    }
    stdout.write(
      json
        ? jsonLine({ from: folder, to: store.place, ...counts })
        : labelled([
            ['From', folder],
            ['To', store.place],
            ['Copied', `${counted(counts.copied, 'file')}, ${counts.bytes} bytes`],
            ['Skipped', counted(counts.skipped, 'file')],
          ]),
    );
  });
}
