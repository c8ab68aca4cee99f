import type { Socket } from 'node:net';
import { type EmbeddingsConfig, type LlmConfig, type ProviderConfig, providerUrls } from '../../../config.ts';
import type { AccountProvider } from '../../../contract/providers/credentials.ts';
import type { Clock } from '../../../voice/clock.ts';
import type { Llm } from '../../../voice/llm.ts';
import { cartesia } from '../../../voice/providers/cartesia/listing.ts';
import { deepgram } from '../../../voice/providers/deepgram/listing.ts';
import { elevenLabs } from '../../../voice/providers/elevenlabs/listing.ts';
import type { OpenAiAccount } from '../../../voice/providers/openai/account.ts';
import { openAi } from '../../../voice/providers/openai/listing.ts';
import type { SpeechRegistry } from '../../../voice/providers/registry.ts';
import type { SpeechProvider } from '../../../voice/providers/speech-provider.ts';
import type { SpeechProviders } from '../../../voice/speech-ports.ts';
import type { KnownCredentials } from '../credentials/known.ts';
import type { Credentials, CredentialsStore } from '../credentials/store.ts';
import { AccountClients } from './clients.ts';
import type { Connected, Connectors } from './connectors.ts';

/** The accounts in the environment of the service; null: neither a key nor an address. */
export interface OperatorAccounts {
  readonly openai: LlmConfig | null;
  readonly deepgram: ProviderConfig | null;
  readonly elevenlabs: ProviderConfig | null;
  readonly cartesia: ProviderConfig | null;
  readonly embeddings: EmbeddingsConfig | null;
}

export const noOperatorAccounts: OperatorAccounts = {
  openai: null,
  deepgram: null,
  elevenlabs: null,
  cartesia: null,
  embeddings: null,
};

/** What the operator has connected, and what needs no account. */
export interface OperatorProviders<Embeddings> {
  readonly speech: SpeechRegistry;
  readonly llm: Llm | null;
  readonly embeddings: Embeddings | null;
  readonly accounts: OperatorAccounts;
  /** False: workspaces do not use what the operator has connected. */
  readonly isShared: boolean;
  /** `http://host:port` of a proxy for addresses that start with `https://`. */
  readonly proxy: string | null;
}

/** What the calls and knowledge bases of a workspace use. */
export interface WorkspaceProviders<Embeddings> {
  readonly speech: SpeechProviders;
  readonly llm: Llm | null;
  readonly embeddings: Embeddings | null;
}

/** An account with everything that a request needs. */
export interface Account extends OpenAiAccount {
  readonly source: 'workspace' | 'operator';
  /** For `embeddings`. */
  readonly model: string | null;
}

export interface WorkspaceProvidersParts<Embeddings> {
  readonly known: Pick<KnownCredentials, 'of'>;
  readonly store: Pick<CredentialsStore, 'open'>;
  readonly connectors: Pick<Connectors, 'get'>;
  readonly operator: OperatorProviders<Embeddings>;
  readonly newEmbeddings: (config: EmbeddingsConfig, account: Account) => Embeddings;
  /** The guard of outbound connections. */
  readonly connect: (url: string) => Promise<Socket>;
  readonly clock: Clock;
  readonly now: () => number;
}

/** The order in which `auto` chooses. */
const listings = [deepgram, elevenLabs, cartesia, openAi];

export type WorkspaceProvidersSource<Embeddings> = ReturnType<typeof createWorkspaceProviders<Embeddings & Closable>>;

interface Closable {
  close(): Promise<void>;
}

/** Chooses between the accounts of a workspace and those of the operator, for each provider. */
export function createWorkspaceProviders<Embeddings extends Closable>(parts: WorkspaceProvidersParts<Embeddings>) {
  const { known, store, connectors, operator, newEmbeddings, connect, clock, now } = parts;
  const { isShared } = operator;
  const clients = new AccountClients<Connected>(now);
  const embeddingsClients = new AccountClients<Embeddings>(now);
  const unconnected: readonly SpeechProvider[] = listings.map((listing) => ({
    ...listing,
    configured: false,
    automatic: false,
  }));

  const ownAccount = (credentials: Credentials): Account => {
    const { workspaceId, provider, revision, baseUrl, models, model } = credentials;
    return {
      source: 'workspace',
      apiKey: store.open(credentials),
      baseUrl: baseUrl ?? providerUrls[provider],
      modelMap: new Map(Object.entries(models)),
      model,
      connect,
      accountId: `${workspaceId} ${revision}`,
    };
  };

  const operatorAccount = (provider: AccountProvider): Account | null => {
    const account: (ProviderConfig & Partial<LlmConfig & EmbeddingsConfig>) | null = operator.accounts[provider];
    if (account === null || !isShared) return null;
    const { apiKey, baseUrl, modelMap = new Map(), model = null } = account;
    return { source: 'operator', apiKey, baseUrl, modelMap, model, proxy: operator.proxy };
  };

  const embeddingsOf = (credentials: Credentials): Embeddings =>
    embeddingsClients.get(credentials, () => {
      const account = ownAccount(credentials);
      const { apiKey, baseUrl, model } = account;
      return newEmbeddings({ apiKey, baseUrl, model: model ?? '', dimensions: null }, account);
    });

  return {
    of: (workspaceId: string): WorkspaceProviders<Embeddings> => {
      const own = known.of(workspaceId);
      if (own.length === 0 && isShared) return operator;
      const connected = own
        .filter(({ provider }) => provider !== 'embeddings')
        .map((credentials) =>
          clients.get(credentials, () => connectors.get(credentials.provider)(ownAccount(credentials), clock)),
        );
      const others = listings.flatMap(({ name }, index) => {
        const found = connected.find(({ speech }) => speech.name === name)?.speech;
        return found ?? (isShared ? [] : (unconnected[index] as SpeechProvider));
      });
      const llm = connected.find((each) => each.llm !== null)?.llm ?? (isShared ? operator.llm : null);
      const ownEmbeddings = own.find(({ provider }) => provider === 'embeddings');
      const shared = isShared ? operator.embeddings : null;
      return {
        speech: operator.speech.replacing(others),
        llm,
        embeddings: ownEmbeddings === undefined ? shared : embeddingsOf(ownEmbeddings),
      };
    },

    /** The account that the next request would use, if there is one. `own`: the credentials as they are stored. */
    account: (provider: AccountProvider, own: Credentials | undefined): Account | null =>
      own === undefined ? operatorAccount(provider) : ownAccount(own),

    sweep: (): void => {
      clients.sweep();
      embeddingsClients.sweep();
    },
    close: async (): Promise<void> => {
      await Promise.all([clients.close(), embeddingsClients.close()]);
    },
  };
}
