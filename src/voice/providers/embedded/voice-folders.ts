import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** A voice that sherpa-onnx speaks with, as its authors publish it: a folder with a model and its parts. */
export interface VoiceModel {
  /** The name of the folder. */
  readonly voiceId: string;
  readonly kind: VoiceKind;
  readonly languages: readonly string[];
  /** As sherpa-onnx takes it, below the name of the kind. */
  readonly config: Readonly<Record<string, string>>;
}

export type VoiceKind = 'vits' | 'matcha' | 'kokoro' | 'kitten';

export type VoiceFolder = { readonly voice: VoiceModel } | { readonly problems: readonly string[] };

/** Names under which voices are published, such as `vits-piper-en_US-amy-low`. */
const publishedName = /vits|piper|matcha|kokoro|kitten/i;

/** The complete voices in SPEECH_MODELS. `voice-agents speech check` says what the others lack. */
export function findVoiceModels(models: string): readonly VoiceModel[] {
  return namesIn(models).flatMap((name) => {
    if (!publishedName.test(name)) return [];
    const found = readVoiceFolder(join(models, name));
    return 'voice' in found ? [found.voice] : [];
  });
}

/** The voice in a folder, or everything that prevents the folder from being one. Nothing is loaded. */
export function readVoiceFolder(path: string): VoiceFolder {
  const folder = resolve(path);
  const name = basename(folder);
  if (!isFolder(folder)) return { problems: ['it is not a folder'] };
  const files = namesIn(folder);
  const kind = kindOf(name, files);
  const languages = languagesIn(name);
  const problems: string[] = [];
  const need = (file: string | undefined, what: string): string => {
    if (file === undefined) problems.push(`it has no ${what}`);
    return join(folder, file ?? '');
  };
  if (!publishedName.test(name)) {
    problems.push('its name must be the published one, which contains vits, piper, matcha, kokoro or kitten');
  }
  if (languages.length === 0) {
    problems.push(`its name has no language: rename it, for example to ${name}-en`);
  }
  const models = modelFiles(files);
  const vocoder = models.find(isVocoder);
  const model = models.find((file) => !isVocoder(file));
  const config: Record<string, string> = {
    [kind === 'matcha' ? 'acousticModel' : 'model']: need(model, 'model (*.onnx)'),
    tokens: need(
      files.find((file) => file === 'tokens.txt'),
      'tokens.txt',
    ),
    ...(kind === 'matcha' ? { vocoder: need(vocoder, 'vocoder (vocos*.onnx or hifigan*.onnx)') } : {}),
    ...(kind === 'kokoro' || kind === 'kitten'
      ? {
          voices: need(
            files.find((file) => file === 'voices.bin'),
            'voices.bin',
          ),
        }
      : {}),
    ...(files.includes('espeak-ng-data') ? { dataDir: join(folder, 'espeak-ng-data') } : {}),
    ...lexicons(folder, files),
  };
  // The published archive of these has it; without it the runtime ends the process.
  const needsData = kind === 'kokoro' || kind === 'kitten' || /piper/i.test(name);
  if (needsData && config.dataDir === undefined) problems.push('it has no folder espeak-ng-data');
  return problems.length > 0 ? { problems } : { voice: { voiceId: name, kind, languages, config } };
}

function kindOf(name: string, files: readonly string[]): VoiceKind {
  if (/kitten/i.test(name)) return 'kitten';
  if (/kokoro/i.test(name) || files.includes('voices.bin')) return 'kokoro';
  return /matcha/i.test(name) || files.some(isVocoder) ? 'matcha' : 'vits';
}

/** The smaller variant of a model first: on a processor, it is the faster one. */
function modelFiles(files: readonly string[]): readonly string[] {
  const models = files.filter((file) => file.endsWith('.onnx'));
  return models.toSorted((one, other) => Number(other.includes('int8')) - Number(one.includes('int8')));
}

function isVocoder(file: string): boolean {
  return /^(?:vocos|hifigan).*\.onnx$/.test(file);
}

function lexicons(folder: string, files: readonly string[]): Readonly<Record<string, string>> {
  const found = files.filter((file) => /^lexicon.*\.txt$/.test(file)).map((file) => join(folder, file));
  return found.length === 0 ? {} : { lexicon: found.join(',') };
}

/** `en` in `vits-piper-en_US-amy-low`, `zh` and `en` in `vits-melo-tts-zh_en`. */
function languagesIn(name: string): readonly string[] {
  const found = [...name.matchAll(/(?<=^|[-_.])([a-z]{2})(?=[-_.]|$)/g)].flatMap(([, code]) => code ?? []);
  // The only published name that says it in words.
  return found.length === 0 && /multi-lang/.test(name) ? ['en', 'zh'] : [...new Set(found)];
}

/** Nothing is in what cannot be read: the service works without it. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
