import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JapaneseModel } from '../japanese-files.ts';
import type { EnglishModel } from '../packages.ts';
import { modelRate, type Sherpa, type SherpaRecognizer } from '../sherpa.ts';

/** The model has ids for more tokens than the vocabulary; those mark times and are not text. */
const tokenCount = 32_768;

export async function loadEnglish(sherpa: Sherpa, model: EnglishModel): Promise<SherpaRecognizer> {
  const { default: tokenizer } = (await import(model.vocabulary)) as { default: { vocabById: readonly string[] } };
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-'));
  try {
    const tokens = join(folder, 'tokens.txt');
    writeFileSync(tokens, tokensFile(tokenizer.vocabById));
    const moonshine = { encoder: model.encoder, mergedDecoder: model.decoder };
    return create(sherpa, { moonshine, tokens });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function loadJapanese(sherpa: Sherpa, model: JapaneseModel): SherpaRecognizer {
  const { tokens } = model;
  if (model.kind === 'sense-voice') {
    return create(sherpa, {
      senseVoice: { model: model.model, language: 'ja', useInverseTextNormalization: 1 },
      tokens,
    });
  }
  const { encoder, decoder, joiner } = model;
  return create(sherpa, { transducer: { encoder, decoder, joiner }, tokens });
}

function create(sherpa: Sherpa, modelConfig: Readonly<Record<string, unknown>>): SherpaRecognizer {
  return new sherpa.OfflineRecognizer({
    featConfig: { sampleRate: modelRate, featureDim: 80 },
    modelConfig: { ...modelConfig, numThreads: 1, provider: 'cpu', debug: 0 },
  });
}

/** One line per id: the text of the token in base64, and the id. */
function tokensFile(vocabulary: readonly string[]): string {
  const lines = Array.from({ length: tokenCount }, (_, id) => {
    const token = vocabulary[id] ?? `<${id}>`;
    return `${bytesOf(token).toString('base64')}\t${id}`;
  });
  return `${lines.join('\n')}\n`;
}

/** `▁` is a space, and `<0x41>` a single byte. */
function bytesOf(token: string): Buffer {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(token)?.[1];
  return byte === undefined ? Buffer.from(token.replaceAll('▁', ' ')) : Buffer.from(byte, 'hex');
}
