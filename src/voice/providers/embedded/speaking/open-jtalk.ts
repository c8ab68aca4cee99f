import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JapaneseVoice } from '../japanese-files.ts';
import { type Recording, wavSamples } from './wav-samples.ts';

/** Open JTalk reads lines of up to 1023 bytes; a character has three. */
const maxCharacters = 300;
const maxMs = 20_000;
/** What it says about a line is a few hundred characters. */
const maxMessages = 10_000;

/** Three of the voices speak much more slowly than the neutral one, and one is so loud that it is cut off. */
const corrections: Readonly<Record<string, { readonly rate: number; readonly decibels: number }>> = {
  angry: { rate: 1.5, decibels: 0 },
  sad: { rate: 1.4, decibels: 0 },
  bashful: { rate: 1.5, decibels: -6 },
};

/** Speaks Japanese with Open JTalk, in a process of its own. */
export async function speakJapanese(
  { program, dictionary, emotions }: JapaneseVoice,
  { text, emotion, speed }: { readonly text: string; readonly emotion: string; readonly speed: number },
): Promise<readonly Recording[]> {
  const voice = emotions[emotion] ?? emotions.normal ?? '';
  const { rate, decibels } = corrections[emotion] ?? { rate: 1, decibels: 0 };
  const args = ['-x', dictionary, '-m', voice, '-r', String(speed * rate), '-g', String(decibels)];
  const recordings: Recording[] = [];
  for (const line of linesOf(text)) {
    const recording = await speakLine(program, args, line);
    if (recording !== null) recordings.push(recording);
  }
  return recordings;
}

/** Null if the program knows no sound for the line, such as for rare characters and other scripts. */
async function speakLine(program: string, args: readonly string[], line: string): Promise<Recording | null> {
  // A file, because the program cannot write to the sockets that Node.js uses as pipes.
  const folder = await mkdtemp(join(tmpdir(), 'voice-agents-'));
  try {
    const file = join(folder, 'voice.wav');
    const hasSounds = await run(program, [...args, '-ow', file], line);
    return hasSounds ? wavSamples(await readFile(file)) : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves to whether there was something to say. */
function run(program: string, args: readonly string[], input: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'], timeout: maxMs, killSignal: 'SIGKILL' });
    // A program that ended early does not read its input; its exit code says so.
    child.stdin.on('error', () => {});
    let messages = '';
    child.stderr.on('data', (data: Buffer) => {
      messages = `${messages}${data}`.slice(-maxMessages);
    });
    child.on('error', () => reject(new Error('Open JTalk could not be started')));
    child.on('close', (code) => {
      if (code === 0) resolve(true);
      else if (code === 1 && messages.includes('No phoneme')) resolve(false);
      else reject(new Error(`Open JTalk ended with ${code === null ? 'a signal' : `code ${code}`}`));
    });
    child.stdin.end(`${input}\n`);
  });
}

/** At the last comma or full stop that fits, else wherever the line is full. */
export function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  let rest = [...text.replace(/\s+/g, ' ').trim()];
  while (rest.length > maxCharacters) {
    const mark = rest.slice(0, maxCharacters).findLastIndex((character) => '、。，．！？,.!?'.includes(character));
    const end = mark > 0 ? mark + 1 : maxCharacters;
    lines.push(rest.slice(0, end).join(''));
    rest = rest.slice(end);
  }
  return rest.length === 0 ? lines : [...lines, rest.join('')];
}
