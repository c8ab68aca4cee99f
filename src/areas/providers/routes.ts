import type { Body } from '../../contract/operation.ts';
import { accountProviders } from '../../contract/providers/credentials.ts';
import type { previewVoice } from '../../contract/providers/index.ts';
import { unprocessable, upstreamError } from '../../core/errors.ts';
import type { SpeechProviders, Tts, TtsOptions } from '../../voice/speech-ports.ts';
import type { Account, WorkspaceProviders } from './accounts/workspace-providers.ts';
import { accountProvider } from './credentials/routes.ts';
import type { CredentialsStore } from './credentials/store.ts';
import type { ProviderHandlers } from './handlers.ts';
import { listedProviders } from './list.ts';
import { notConfigured } from './verification/outcome.ts';
import { verify } from './verification/verify.ts';
import { wavFile } from './wav-file.ts';

type Handlers = Omit<ProviderHandlers, 'providers.credentials.put' | 'providers.credentials.delete'>;

export interface ProviderRouteParts {
  /** Reads what was committed before, so that the lists show it. */
  readonly refresh: () => Promise<void>;
  readonly of: (workspaceId: string) => WorkspaceProviders<unknown>;
  readonly account: (
    provider: (typeof accountProviders)[number],
    own: Awaited<ReturnType<CredentialsStore['find']>>,
  ) => Account | null;
  readonly store: Pick<CredentialsStore, 'find'>;
  readonly now: () => number;
}

const previewRate = 24_000;
const maxSpeechMs = 15_000;

export function providerRoutes({ refresh, of, account, store, now }: ProviderRouteParts): Handlers {
  return {
    'providers.list': async ({ caller: { workspaceId } }) => {
      await refresh();
      const { speech, llm, embeddings } = of(workspaceId);
      const own = await Promise.all(accountProviders.map((provider) => store.find(workspaceId, provider)));
      return {
        body: onePage(
          listedProviders(
            await speech.list(),
            own.filter((each) => each !== undefined),
            { hasLlm: llm !== null, hasEmbeddings: embeddings !== null },
          ),
        ),
      };
    },

    'providers.verify': async ({ caller: { workspaceId }, params, signal, record }) => {
      const provider = accountProvider(params.provider);
      const startedAt = now();
      const used = account(provider, await store.find(workspaceId, provider));
      const outcome =
        used === null ? { ...notConfigured(provider), statusCode: null } : await verify(provider, used, signal);
      const { problem, message, statusCode } = outcome;
      const tookMs = Math.max(0, Math.round(now() - startedAt));
      const source = used?.source ?? 'none';
      return record(async () => ({
        body: { provider, source, ok: problem === null, problem, message, statusCode, tookMs },
        resourceId: provider,
      }));
    },

    'voices.list': async ({ caller, query: { provider = null, language = null } }) => {
      const voices = await of(caller.workspaceId).speech.voices(provider, language);
      return { body: onePage(voices.map((voice) => ({ ...voice, languages: [...voice.languages] }))) };
    },

    'voices.preview': async ({ caller, body }) => {
      const options = previewOptions(body);
      const tts = findTts(of(caller.workspaceId).speech, body.provider, options);
      const result = await speak(tts, options, body.text);
      // What exactly failed is in no response: it may be about the account.
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
