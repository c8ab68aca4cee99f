import { type Clock, realClock } from '../clock.ts';
import { cartesia } from './cartesia/listing.ts';
import type { ProviderAccount } from './connection/account.ts';
import { deepgram } from './deepgram/listing.ts';
import { elevenLabs } from './elevenlabs/listing.ts';
import type { OpenAiAccount } from './openai/account.ts';
import { openAi } from './openai/listing.ts';
import type { ProviderListing, SpeechProvider } from './speech-provider.ts';

/** What the operator has configured; null: neither a key nor an address. */
export interface ProviderAccounts {
  readonly deepgram: ProviderAccount | null;
  readonly elevenlabs: ProviderAccount | null;
  readonly cartesia: ProviderAccount | null;
  readonly openai: OpenAiAccount | null;
}

/**
 * Providers behind a network, in the order in which `auto` chooses: first those that are made for conversations. Only
 * connected ones are loaded, because their HTTP client takes several megabytes.
 */
export function createConnectedProviders(
  accounts: ProviderAccounts,
  proxy: string | null,
  clock: Clock = realClock,
): Promise<readonly SpeechProvider[]> {
  const connect = async <Account extends ProviderAccount>(
    listing: ProviderListing,
    account: Account | null,
    load: () => Promise<(account: Account, clock: Clock) => SpeechProvider>,
  ): Promise<SpeechProvider> => {
    if (account === null) return { ...listing, configured: false, automatic: false };
    const create = await load();
    return create({ ...account, proxy }, clock);
  };
  return Promise.all([
    connect(deepgram, accounts.deepgram, async () => (await import('./deepgram/provider.ts')).createDeepgram),
    connect(elevenLabs, accounts.elevenlabs, async () => (await import('./elevenlabs/provider.ts')).createElevenLabs),
    connect(cartesia, accounts.cartesia, async () => (await import('./cartesia/provider.ts')).createCartesia),
    connect(openAi, accounts.openai, async () => (await import('./openai/provider.ts')).createOpenAi),
  ]);
}
