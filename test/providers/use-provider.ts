import { after, before } from 'node:test';
import type { SpeechProvider } from '../../src/voice/providers/speech-provider.ts';
import { testFrames } from '../../src/voice/providers/test/frames.ts';
import type { Stt, Tts } from '../../src/voice/speech-ports.ts';

/** What callers of the doubles say. */
export const words = [testFrames('hello', 10), testFrames('there', 10)];

export const ttsOf = (provider: SpeechProvider): Tts => provider.tts?.('en-US') as Tts;
export const sttOf = (provider: SpeechProvider): Stt => provider.stt?.('en-US') as Stt;

/** A provider on its double, for the tests of a suite. */
export function useProvider<Double extends { readonly baseUrl: string; close(): Promise<void> }>(
  start: () => Promise<Double>,
  create: (account: { apiKey: string; baseUrl: string }) => SpeechProvider,
  apiKey: string,
) {
  const parts = {} as { double: Double; provider: SpeechProvider };
  before(async () => {
    parts.double = await start();
    parts.provider = create({ apiKey, baseUrl: parts.double.baseUrl });
  });
  after(async () => {
    await parts.provider.close?.();
    await parts.double.close();
  });
  return parts;
}
