import { type Declaration, jsonOption, lazily } from '../declaration.ts';

export const mediaCommands: readonly Declaration[] = [
  { name: 'media', description: 'manage recordings and other media files' },
  {
    name: 'media check',
    description: 'find out whether media files, such as recordings, can be written',
    options: [jsonOption],
    about: `Writes a file to MEDIA_DIR and, if MEDIA_URL is set, to the bucket, and removes
it again. In the bucket, it also begins an upload in parts, and aborts it. The
exit code is 1 if files cannot be written.`,
    run: lazily(() => import('./media.ts'), 'runMediaCheck'),
  },
  {
    name: 'media upload',
    description: 'copy the files in MEDIA_DIR to the bucket in MEDIA_URL; the service may be running',
    options: [jsonOption],
    about: `For moving from a folder to a bucket. Files that are in the bucket with the same
size are skipped, so the command can be repeated: once while the service still
uses the folder, and once more after all instances have been restarted with
MEDIA_URL. Nothing is removed from the folder.`,
    run: lazily(() => import('./media.ts'), 'runMediaUpload'),
  },
];
