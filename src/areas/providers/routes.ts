import type { Body } from '../../contract/operation.ts';
import type { previewVoice, providersContract } from '../../contract/providers/index.ts';
import { unprocessable, upstreamError } from '../../core/errors.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import type { SpeechProviders, Tts, TtsOptions } from '../../voice/speech-ports.ts';
import { wavFile } from './wav-file.ts';

type ProviderHandlers = Handlers<(typeof providersContract.operations)[number]>;

const previewRate = 24_000;
const maxSpeechMs = 15_000;

export function providerRoutes(speech: SpeechProviders): ProviderHandlers {
  return {
    'providers.list': async () => {
      const providers = await speech.list();
      return {
        body: onePage(
          providers.map((one) => ({ ...one, capabilities: [...one.capabilities], languages: [...one.languages] })),
        ),
      };
    },

    'voices.list': async ({ query: { provider = null, language = null } }) => {
      const voices = await speech.voices(provider, language);
      return { body: onePage(voices.map((voice) => ({ ...voice, languages: [...voice.languages] }))) };
    },

    'voices.preview': async ({ body }) => {
      const options = previewOptions(body);
      const tts = findTts(speech, body.provider, options);
      const result = await speak(tts, options, body.text);
      // What exactly failed is in no response: it may be about the operator's account.
      if (result === null) throw upstreamError(tts.name, null, true);
      if (result.length === 0) throw unprocessable({ text: ['is nothing that this voice can say'] });
      const file = wavFile(result, previewRate);
      return { media: [file], mediaBytes: file.length };
    },
  };
}

function previewOptions(body: Body<typeof previewVoice>): TtsOptions {
  const { voiceId, voiceModel = null, voiceSpeed, voiceEmotion = null, language } = body;
  return {
    voiceId,
    model: voiceModel,
    speed: voiceSpeed,
    emotion: voiceEmotion,
    temperature: null,
    language,
    rate: previewRate,
  };
}

function findTts(speech: SpeechProviders, provider: string, options: TtsOptions): Tts {
  const tts = speech.tts(provider, options.language);
  if (tts === null) {
    const isThere = provider === 'auto' || speech.isConfigured('tts', provider);
    throw unprocessable({
      provider: [isThere ? 'has no voice for this language' : 'is not a configured provider of voices'],
    });
  }
  if (tts.notApplied(options).some(({ field }) => field === 'voiceId')) {
    throw unprocessable({ voiceId: ['is not a voice of the provider for this language'] });
  }
  return tts;
}

function onePage<Item>(items: Item[]) {
  return { items, pagination: { nextCursor: null } };
}

/** All audio of a text; null if the voice fails or takes too long. */
function speak(tts: Tts, options: TtsOptions, text: string): Promise<readonly Int16Array[] | null> {
  return new Promise((resolve) => {
    const parts: Int16Array[] = [];
    const end = (result: readonly Int16Array[] | null): void => {
      clearTimeout(timer);
      resolve(result);
    };
    const stream = tts.open(options, {
      audio: (samples) => parts.push(samples),
      done: () => end(parts),
      failed: () => end(null),
    });
    const timer = setTimeout(() => {
      stream.cancel();
      end(null);
    }, maxSpeechMs);
    stream.say(text, true);
  });
}
