import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { WASI } from 'node:wasi';
import { type Recording, wavSamples } from './wav-samples.ts';

/** The part of WebAssembly that is used here; its types belong to those of browsers. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Instance: new (program: object, imports: object) => object;
};

export type Flite = (text: string, voice: string, speed: number) => Recording;

/** Flite as a WASI program: it sees a folder for its result, and nothing else. */
export async function loadFlite(file: string): Promise<Flite> {
  const program = await WebAssembly.compile(readFileSync(file));
  return (text, voice, speed) => {
    const folder = mkdtempSync(join(tmpdir(), 'voice-agents-'));
    const output = openSync(devNull, 'w');
    try {
      const wasi = new WASI({
        version: 'preview1',
        // A stretch of 2 takes twice as long.
        args: ['flite', '-voice', voice, '--setf', `duration_stretch=${1 / speed}`, '-t', text, '-o', '/out/voice.wav'],
        preopens: { '/out': folder },
        stdout: output,
        stderr: output,
      });
      const instance = new WebAssembly.Instance(program, wasi.getImportObject());
      const code = wasi.start(instance);
      if (code !== 0) throw new Error(`Flite ended with code ${code}`);
      return wavSamples(readFileSync(join(folder, 'voice.wav')));
    } finally {
      closeSync(output);
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
