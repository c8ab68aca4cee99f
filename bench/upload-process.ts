/** Uploads a recording in a process of its own, whose memory is that of the upload: `node bench/upload-process.ts FOLDER NAME CONFIG`. */
import { createRecordingFiles } from '../src/areas/calls/record/recording-files.ts';
import { openMedia } from '../src/storage/open-media.ts';

const [folder = '', name = '', config = ''] = process.argv.slice(2);
const { store, spool, close } = await openMedia(folder, JSON.parse(config));
const files = createRecordingFiles(spool.folder);
// A service has loaded its programs and is connected long before a call ends.
await store.checkWritable();
globalThis.gc?.();
const beforeBytes = process.memoryUsage.rss();
let maxBytes = beforeBytes;
const sampling = setInterval(() => {
  maxBytes = Math.max(maxBytes, process.memoryUsage.rss());
}, 2);
const startMs = performance.now();
const finished = await files.finish(name);
await store.writeFile(`calls/${name.split('/').at(-1)}`, spool.folder.path(name));
const ms = performance.now() - startMs;
clearInterval(sampling);
await close();
process.stdout.write(JSON.stringify({ ms, bytes: finished?.sizeBytes, memoryBytes: maxBytes - beforeBytes }));
