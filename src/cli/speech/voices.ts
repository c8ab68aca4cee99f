import { writeFile } from 'node:fs/promises';
import type { PreviewVoice } from '../../../sdk/src/index.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';

export interface PreviewOptions extends ConnectionOptions {
  readonly voice: string;
  readonly out: string;
  readonly provider: string;
  readonly language: string;
  readonly speed?: number;
  readonly emotion?: string;
}

export async function previewVoice(
  text: string,
  { voice, out, provider, language, speed, emotion, ...options }: PreviewOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const { client } = await connect(options, environment);
  const body = {
    provider,
    voiceId: voice,
    language,
    text,
    ...(speed === undefined ? {} : { voiceSpeed: speed }),
    ...(emotion === undefined ? {} : { voiceEmotion: emotion as NonNullable<PreviewVoice['voiceEmotion']> }),
  };
  await writeFile(out, new Uint8Array(await client.voices.preview(body)));
  await print(stdout, `${out} written.\n`);
}
