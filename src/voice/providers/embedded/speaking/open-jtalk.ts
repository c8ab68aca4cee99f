import { spawn } from 'node:child_process';
import type { JapaneseVoice } from '../japanese-files.ts';
import { type Recording, wavSamples } from './wav-samples.ts';

/** It reads lines of up to 1023 bytes; a character has three. */
const maxCharacters = 300;
const maxMs = 20_000;
/** A line of that length at the slowest speed takes less than four minutes. */
const maxBytes = 32 * 1024 * 1024;

/** Speaks Japanese with Open JTalk, in a process of its own. */
export async function speakJapanese(
  { program, dictionary, emotions }: JapaneseVoice,
  { text, emotion, speed }: { readonly text: string; readonly emotion: string; readonly speed: number },
): Promise<readonly Recording[]> {
  const voice = emotions[emotion] ?? emotions.normal ?? '';
  const args = ['-x', dictionary, '-m', voice, '-r', String(speed), '-ow', '/dev/stdout'];
  const recordings: Recording[] = [];
  for (const line of linesOf(text)) recordings.push(wavSamples(await outputOf(program, args, line)));
  return recordings;
}

function outputOf(program: string, args: readonly string[], input: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], timeout: maxMs, killSignal: 'SIGKILL' });
    const parts: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > maxBytes) child.kill('SIGKILL');
    });
    // A program that ended early does not read its input; its exit code says so.
    child.stdin.on('error', () => {});
    child.on('error', () => reject(new Error('Open JTalk could not be started')));
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(parts));
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
