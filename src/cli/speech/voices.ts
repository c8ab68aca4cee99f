import { writeFile } from 'node:fs/promises';
import type { PreviewVoice } from '../../../sdk/src/index.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { table } from '../terminal/table.ts';
import { jsonLine } from '../terminal/text.ts';

export interface SpeechOptions extends ConnectionOptions {
  readonly json?: boolean;
}

export interface ListVoicesOptions extends SpeechOptions {
  readonly provider?: string;
  readonly language?: string;
}

export interface PreviewOptions extends ConnectionOptions {
  readonly voice: string;
  readonly out: string;
  readonly provider: string;
  readonly language: string;
  readonly speed?: number;
  readonly emotion?: string;
}

export async function listProviders(
  { json = false, ...options }: SpeechOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const { client } = await connect(options, environment);
  const { items } = await client.providers.list();
  if (json) return print(stdout, items.map(jsonLine).join(''));
  const rows = items.map(({ name, configured, capabilities, languages }) => [
    name,
    configured ? 'yes' : 'no',
    capabilities.join(', '),
    languages.length === 0 ? 'any' : languages.join(', '),
  ]);
  await print(stdout, table(['NAME', 'CONFIGURED', 'CAPABILITIES', 'LANGUAGES'], rows, { stream: stdout }));
}

export async function listVoices(
  { json = false, provider, language, ...options }: ListVoicesOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const { client } = await connect(options, environment);
  const { items } = await client.voices.list({
    ...(provider === undefined ? {} : { provider }),
    ...(language === undefined ? {} : { language }),
  });
  if (json) return print(stdout, items.map(jsonLine).join(''));
  if (items.length === 0) return print(stdout, 'No voices.\n');
  const rows = items.map(({ voiceId, provider: from, languages, name }) => [
    voiceId,
    from,
    languages.length === 0 ? 'any' : languages.join(', '),
    name,
  ]);
  await print(stdout, table(['VOICE', 'PROVIDER', 'LANGUAGES', 'NAME'], rows, { stream: stdout, elastic: 'NAME' }));
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
