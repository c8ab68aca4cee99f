import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { type ProviderAccount, proxyOf } from './account.ts';

/** Long enough for the pauses of a conversation, and shorter than the 60 s after which common proxies hang up. */
const keepAliveMs = 55_000;
const connectMs = 5000;
/** A text of 4096 characters, said at a quarter of the speed, is 56 MB of audio; nothing else is nearly as large. */
const maxResponseSize = 64 * 1024 * 1024;

/** Connections that are kept, for requests to a provider. */
export function createDispatcher(account: Pick<ProviderAccount, 'baseUrl' | 'proxy'>): Dispatcher {
  const settings = { keepAliveTimeout: keepAliveMs, connect: { timeout: connectMs }, maxResponseSize };
  const proxy = proxyOf(account);
  return proxy === null ? new Agent(settings) : new ProxyAgent({ ...settings, uri: proxy });
}
