import type { AccountProvider } from '../../../contract/providers/credentials.ts';
import type { Clock } from '../../../voice/clock.ts';
import type { Llm } from '../../../voice/llm.ts';
import type { OpenAiAccount } from '../../../voice/providers/openai/account.ts';
import type { SpeechProvider } from '../../../voice/providers/speech-provider.ts';

/** What an account with a provider of speech and language models offers. */
export interface Connected {
  readonly speech: SpeechProvider;
  readonly llm: Llm | null;
  close(): Promise<void>;
}

export type Connector = (account: OpenAiAccount, clock: Clock) => Connected;

type SpeechAccountProvider = Exclude<AccountProvider, 'embeddings'>;

/** Loaded with the first account: their HTTP client takes several megabytes. */
const loaders: Readonly<Record<SpeechAccountProvider, () => Promise<Connector>>> = {
  deepgram: async () => speechOnly((await import('../../../voice/providers/deepgram/provider.ts')).createDeepgram),
  elevenlabs: async () =>
    speechOnly((await import('../../../voice/providers/elevenlabs/provider.ts')).createElevenLabs),
  cartesia: async () => speechOnly((await import('../../../voice/providers/cartesia/provider.ts')).createCartesia),
  openai: async () => {
    const { createOpenAi } = await import('../../../voice/providers/openai/provider.ts');
    const { createOpenAiLlm } = await import('../../../voice/providers/openai/llm.ts');
    return (account, clock) => {
      const speech = createOpenAi(account, clock);
      const llm = createOpenAiLlm(account);
      return { speech, llm, close: async () => void (await Promise.all([speech.close?.(), llm.close()])) };
    };
  },
};

function speechOnly(create: (account: OpenAiAccount, clock: Clock) => SpeechProvider): Connector {
  return (account, clock) => {
    const speech = create(account, clock);
    return { speech, llm: null, close: async () => speech.close?.() };
  };
}

/** Connectors that are loaded in advance, so that a call that starts does not wait. */
export class Connectors {
  readonly #loaded = new Map<AccountProvider, Connector>();

  async load(providers: Iterable<AccountProvider>): Promise<void> {
    for (const provider of new Set(providers)) {
      if (provider === 'embeddings' || this.#loaded.has(provider)) continue;
      this.#loaded.set(provider, await loaders[provider]());
    }
  }

  get(provider: AccountProvider): Connector {
    const connector = this.#loaded.get(provider);
    if (connector === undefined) throw new Error(`the provider ${provider} was not loaded`);
    return connector;
  }
}
