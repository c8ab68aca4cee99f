import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What Open JTalk needs to speak Japanese. */
export interface JapaneseVoice {
  readonly program: string;
  readonly dictionary: string;
  /** The files of the emotions that are there: `normal`, `happy`, … */
  readonly emotions: Readonly<Record<string, string>>;
}

/** A model for Japanese that sherpa runs. */
export type JapaneseModel =
  | { readonly kind: 'sense-voice'; readonly model: string; readonly tokens: string }
  | {
      readonly kind: 'transducer';
      readonly encoder: string;
      readonly decoder: string;
      readonly joiner: string;
      readonly tokens: string;
    };

export interface Places {
  /** The folder of voices and models that are not packages: SPEECH_MODELS. */
  readonly models: string;
  /** Folders of programs, as in PATH. */
  readonly programPath: string;
}

const programName = 'open_jtalk';
/** Where Debian installs the dictionary and, in older releases, voices. */
const debianDictionary = '/var/lib/mecab/dic/open-jtalk/naist-jdic';
const debianVoices = '/usr/share/hts-voice/mei';
const emotionNames = ['normal', 'happy', 'angry', 'bashful', 'sad'];

/** The parts of the Japanese voice, each null if it is not there. */
export function findJapaneseVoiceParts({ models, programPath }: Places) {
  const program = programPath
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, programName))
    .find(isProgram);
  const dictionary = [join(models, 'open-jtalk-dictionary'), debianDictionary].find((folder) =>
    existsSync(join(folder, 'sys.dic')),
  );
  const emotions = [join(models, 'mei'), debianVoices]
    .map((folder) => emotionsIn(folder))
    .find((found) => found.normal !== undefined);
  return { program: program ?? null, dictionary: dictionary ?? null, emotions: emotions ?? null };
}

export function findJapaneseVoice(places: Places): JapaneseVoice | null {
  const { program, dictionary, emotions } = findJapaneseVoiceParts(places);
  return program === null || dictionary === null || emotions === null ? null : { program, dictionary, emotions };
}

/** A folder inside SPEECH_MODELS whose name contains `sense-voice` or `reazonspeech`, as their authors publish it. */
export function findJapaneseModel({ models }: Pick<Places, 'models'>): JapaneseModel | null {
  const folders = namesIn(models).filter((name) => /sense-?voice|reazonspeech/i.test(name));
  for (const name of folders) {
    const folder = join(models, name);
    const files = namesIn(folder);
    // The smaller variant of a model is as good for this and takes a third of the memory.
    const find = (part: string): string | null => {
      const fitting = files.filter((file) => file.endsWith('.onnx') && file.includes(part));
      const chosen = fitting.find((file) => file.includes('int8')) ?? fitting[0];
      return chosen === undefined ? null : join(folder, chosen);
    };
    const tokens = join(folder, 'tokens.txt');
    if (!existsSync(tokens)) continue;
    const [encoder, decoder, joiner, model] = [find('encoder'), find('decoder'), find('joiner'), find('model')];
    if (encoder !== null && decoder !== null && joiner !== null) {
      return { kind: 'transducer', encoder, decoder, joiner, tokens };
    }
    if (/sense-?voice/i.test(name) && model !== null) return { kind: 'sense-voice', model, tokens };
  }
  return null;
}

function emotionsIn(folder: string): Record<string, string> {
  const files = emotionNames.map((name) => [name, join(folder, `mei_${name}.htsvoice`)] as const);
  return Object.fromEntries(files.filter(([, file]) => existsSync(file)));
}

/** Nothing is in what cannot be read: the service works without it. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
