import type { MediaFolder, OpenMediaFile } from '../../../storage/media.ts';
import { completeRecording, type RecordingFile } from '../../../voice/audio/call-recording.ts';
import { wavHeaderBytes } from '../../../voice/audio/wav.ts';

/** A recording that is complete on the disk. */
export interface FinishedRecording {
  readonly durationMs: number;
  readonly sizeBytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** Completes files that a call was recorded to. */
export interface RecordingFiles {
  /** Completes the file, also one whose process was lost. Null if there is nothing in it. May be called again. */
  finish(name: string): Promise<FinishedRecording | null>;
  /** Writes one file with the sound of all of them. */
  merge(names: readonly string[], name: string): Promise<void>;
}

/** The file of a call that is being recorded. It is opened with the first write. */
export function openRecording(folder: MediaFolder, name: string): RecordingFile {
  let opened: Promise<OpenMediaFile> | null = null;
  const file = () => {
    opened ??= folder.open(name);
    return opened;
  };
  return {
    write: async (position, bytes) => (await file()).write(position, bytes),
    read: async (position, length, into) => (await file()).read(position, length, into),
    close: async () => {
      if (opened !== null) await (await opened).close();
    },
  };
}

/** Completes what calls were recorded to. */
export function createRecordingFiles(media: MediaFolder): RecordingFiles {
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

    merge: async (names, name) => {
      const opened: OpenMediaFile[] = [];
      try {
        for (const one of names) opened.push(await media.open(one));
        await media.write(name, merged(opened));
      } finally {
        for (const file of opened) await file.close();
      }
    },
  };
}

const readBytes = 65_536;

/** Where one of the files has silence, another may have sound. The header is written when the file is completed. */
async function* merged(files: readonly OpenMediaFile[]): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(wavHeaderBytes);
  for (let position = wavHeaderBytes; ; position += readBytes) {
    const blocks: Uint8Array[] = [];
    for (const file of files) blocks.push(await file.read(position, readBytes));
    const bytes = Math.max(...blocks.map(({ length }) => length));
    if (bytes === 0) return;
    const samples = new Int16Array(bytes >> 1);
    for (const block of blocks) {
      const others = new Int16Array(block.buffer, block.byteOffset, block.length >> 1);
      for (const [index, sample] of others.entries()) samples[index] ||= sample;
    }
    yield new Uint8Array(samples.buffer);
  }
}
