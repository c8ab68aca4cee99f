import type { MediaStore, OpenMediaFile } from '../../../storage/media.ts';
import { completeRecording, type RecordingFile } from '../../../voice/audio/call-recording.ts';
import { wavHeaderBytes } from '../../../voice/audio/wav.ts';
import type { RecordingFiles } from './recordings.ts';

/** The file of a call that is being recorded. It is opened with the first write. */
export function openRecording(media: MediaStore, name: string): RecordingFile {
  let opened: Promise<OpenMediaFile> | null = null;
  const file = () => {
    opened ??= media.open(name);
    return opened;
  };
  return {
    write: async (position, bytes) => (await file()).write(position, bytes),
    read: async (position, length) => (await file()).read(position, length),
    close: async () => {
      if (opened !== null) await (await opened).close();
    },
  };
}

/** Completes what calls were recorded to, in the media store. */
export function createRecordingFiles(media: MediaStore): RecordingFiles {
  return {
    finish: async (name) => {
      const found = await media.find(name);
      if (found === null || found.bytes <= wavHeaderBytes) return null;
      const file = await media.open(name);
      try {
        const result = await completeRecording(file, found.bytes);
        await file.truncate(result.sizeBytes);
        await file.sync();
        return result;
      } finally {
        await file.close();
      }
    },
  };
}
