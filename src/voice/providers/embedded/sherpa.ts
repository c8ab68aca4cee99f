import { createRequire } from 'node:module';

/** The parts of `sherpa-onnx-node` that are used here; the package has no types. */
export interface Sherpa {
  readonly Vad: new (config: unknown, bufferSeconds: number) => SherpaVad;
  readonly OfflineRecognizer: new (config: unknown) => SherpaRecognizer;
  readonly OfflineTts: new (config: unknown) => SherpaVoice;
}

export interface SherpaVoice {
  readonly numSpeakers: number;
  generate(request: {
    readonly text: string;
    readonly enableExternalBuffer: boolean;
    /** Without it, the process ends if the text has no sound. */
    readonly generationConfig: { readonly sid: number; readonly speed: number };
  }): { readonly samples: Float32Array; readonly sampleRate: number };
}

export interface SherpaVad {
  acceptWaveform(samples: Float32Array): void;
  /** Whether the last window is part of speech. */
  isDetected(): boolean;
  isEmpty(): boolean;
  pop(): void;
  reset(): void;
}

export interface SherpaRecognizer {
  createStream(): { acceptWaveform(wave: { readonly samples: Float32Array; readonly sampleRate: number }): void };
  /** Never `decodeAsync`: a thread that ends while it runs would abort the process. */
  decode(stream: unknown): void;
  getResult(stream: unknown): { readonly text: string; readonly tokens: string[]; readonly timestamps: number[] };
}

/** What the models expect. */
export const modelRate = 16_000;

export function loadSherpa(file: string): Sherpa {
  return createRequire(import.meta.url)(file) as Sherpa;
}

export function toFloat(samples: Int16Array): Float32Array {
  return Float32Array.from(samples, (sample) => sample / 32_768);
}
