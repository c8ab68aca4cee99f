import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSpeechFolder } from '../../config.ts';
import { findSpeechPackages } from '../../voice/providers/embedded/packages.ts';
import type { ProbedVoice } from '../../voice/providers/embedded/speaking/probe.ts';
import { readVoiceFolder, type VoiceModel } from '../../voice/providers/embedded/voice-folders.ts';
import { programFile } from '../../workers/program-file.ts';
import { type CommandContext, print } from '../context.ts';
import { CommandError } from '../failures.ts';

const maxMs = 120_000;
/** Speech that takes longer than itself has gaps. */
const leastSpeed = 1;
/** Quieter than this, nobody hears it. */
const leastPeak = 0.01;

const sampleTexts: Readonly<Record<string, string>> = {
  en: 'Thank you for calling. How can I help you?',
  ja: 'お電話ありがとうございます。ご用件をお伺いします。',
  zh: '感谢您的来电。请问有什么可以帮您？',
  de: 'Vielen Dank für Ihren Anruf. Wie kann ich Ihnen helfen?',
  es: 'Gracias por su llamada. ¿En qué puedo ayudarle?',
  fr: 'Merci de votre appel. Comment puis-je vous aider ?',
};

interface CheckOptions {
  readonly text?: string;
  readonly out?: string;
  readonly json?: boolean;
}

/** Loads a voice and lets it speak, in a process of its own: the runtime ends a process whose model is damaged. */
export async function checkVoice(
  folder: string,
  { text, out, json = false }: CheckOptions,
  { environment, stdout, setExitCode }: CommandContext,
): Promise<void> {
  const found = readVoiceFolder(folder);
  const { runtime } = findSpeechPackages();
  if (runtime === null) {
    throw new CommandError('the package sherpa-onnx-node is missing: run "npm ci --include=optional"');
  }
  const voice = 'voice' in found ? found.voice : null;
  const said = text ?? sampleTexts[voice?.languages[0] ?? 'en'] ?? 'Hello. 1, 2, 3.';
  const measured = voice === null ? null : await probe(runtime, voice, said, out === undefined ? '' : resolve(out));
  const problems = 'problems' in found ? found.problems : problemsOf(measured);
  if (problems.length > 0) setExitCode(1);
  if (json) {
    const { voiceId = null, kind = null, languages = [] } = voice ?? {};
    const figures = typeof measured === 'string' ? null : measured;
    const result = { works: problems.length === 0, problems, voiceId, kind, languages, ...figures };
    return print(stdout, `${JSON.stringify(result)}\n`);
  }
  const isInPlace = dirname(resolve(folder)) === resolve(readSpeechFolder(environment));
  await print(stdout, reportText({ folder, voice, measured, problems, isInPlace, out }));
}

function problemsOf(measured: ProbedVoice | string | null): readonly string[] {
  if (measured === null) return [];
  if (typeof measured === 'string') return [measured];
  const { audioMs, speakMs, peak } = measured;
  if (audioMs === 0 || peak < leastPeak) return ['it says nothing: its tokens or lexicon may not fit the language'];
  if (audioMs / speakMs >= leastSpeed) return [];
  return ['it is too slow for calls on this machine: take a smaller variant, such as one with int8 or low in its name'];
}

interface Report {
  readonly folder: string;
  readonly voice: VoiceModel | null;
  readonly measured: ProbedVoice | string | null;
  readonly problems: readonly string[];
  readonly isInPlace: boolean;
  readonly out: string | undefined;
}

function reportText({ folder, voice, measured, problems, isInPlace, out }: Report): string {
  const lines = [];
  if (voice !== null) lines.push(`${voice.voiceId}: ${voice.kind}, ${voice.languages.join(', ')}`);
  if (measured !== null && typeof measured !== 'string' && measured.audioMs > 0) {
    const { loadMs, audioMs, speakMs, rate, speakers } = measured;
    lines.push(`Loaded in ${seconds(loadMs)}: ${rate} Hz, ${speakers} ${speakers === 1 ? 'speaker' : 'speakers'}.`);
    const speed = speakMs === 0 ? '' : `, ${(audioMs / speakMs).toFixed(1)} times as fast as speech`;
    lines.push(`Spoke ${seconds(audioMs)} in ${seconds(speakMs)}${speed}.`);
    if (out !== undefined) lines.push(`${out} written.`);
  }
  if (problems.length > 0) {
    lines.push(`${folder} does not work:`, ...problems.map((problem) => `- ${problem}`));
  } else if (isInPlace) {
    lines.push(`It works. Restart the service, and set voiceId to ${voice?.voiceId}.`);
  } else {
    lines.push('It works. Move the folder into SPEECH_MODELS (data/speech), and restart the service.');
  }
  return `${lines.join('\n')}\n`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** What was measured, or why the voice cannot be loaded. */
function probe(runtime: string, voice: VoiceModel, text: string, out: string): Promise<ProbedVoice | string> {
  const importer = new URL('../../voice/providers/embedded/speaking/speaker', import.meta.url).href;
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const program = fileURLToPath(programFile('./probe', `${importer}${extension}`));
  const child = spawn(process.execPath, [program, runtime, JSON.stringify(voice), text, out], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: maxMs,
    killSignal: 'SIGKILL',
  });
  let printed = '';
  let complaints = '';
  child.stdout.on('data', (data: Buffer) => {
    printed += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    complaints = `${complaints}${data}`.slice(-10_000);
  });
  return new Promise((done) => {
    child.on('error', () => done('the check could not be started'));
    child.on('close', (code) => {
      const result = /\{.*\}$/s.exec(printed)?.[0];
      if (code === 0 && result !== undefined) done(JSON.parse(result) as ProbedVoice);
      else done(`the model cannot be loaded or does not speak. ${lastLine(complaints)}`.trim());
    });
  });
}

/** The runtime explains itself on its error output, below where in its source it does. */
function lastLine(complaints: string): string {
  const lines = complaints
    .split('\n')
    .map((line) => line.replace(/^\S+\.(?:cc|h):\S+ /, '').trim())
    .filter((line) => line !== '' && !/^(?:at |Node\.js v|\^)/.test(line));
  const last = lines.at(-1);
  return last === undefined ? '' : `sherpa-onnx says: ${last.slice(0, 300)}`;
}
