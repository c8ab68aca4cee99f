import { type Clock, realClock } from '../clock.ts';
import { createCartesia } from './cartesia/provider.ts';
import type { ProviderAccount } from './connection/account.ts';
import { createDeepgram } from './deepgram/provider.ts';
import { createElevenLabs } from './elevenlabs/provider.ts';
import { createOpenAi } from './openai/provider.ts';
import type { SpeechProvider } from './speech-provider.ts';

/** What the operator has configured; null: neither a key nor an address. */
export interface ProviderAccounts {
  readonly deepgram: ProviderAccount | null;
  readonly elevenlabs: ProviderAccount | null;
  readonly cartesia: ProviderAccount | null;
  readonly openai: (ProviderAccount & { readonly modelMap: ReadonlyMap<string, string> }) | null;
}

/** Providers behind a network, in the order in which `auto` chooses: first those that are made for conversations. */
export function createConnectedProviders(
  accounts: ProviderAccounts,
  proxy: string | null,
  clock: Clock = realClock,
): readonly SpeechProvider[] {
  const { deepgram, elevenlabs, cartesia, openai } = accounts;
  const through = <Account extends ProviderAccount>(account: Account | null) =>
    account === null ? null : { ...account, proxy };
  return [
    createDeepgram(through(deepgram), clock),
    createElevenLabs(through(elevenlabs), clock),
    createCartesia(through(cartesia), clock),
    createOpenAi(through(openai), clock),
  ];
}
