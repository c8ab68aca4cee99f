import { Agent, type buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { type ProviderAccount, proxyOf, socketUrl } from './account.ts';

/** Long enough for the pauses of a conversation, and shorter than the 60 s after which common proxies hang up. */
const keepAliveMs = 55_000;
const connectMs = 5000;
/** A text of 4096 characters, said at a quarter of the speed, is 56 MB of audio; nothing else is nearly as large. */
const maxResponseSize = 64 * 1024 * 1024;

/** Connections that are kept, for requests to a provider. */
export function createDispatcher(account: Pick<ProviderAccount, 'baseUrl' | 'proxy' | 'connect'>): Dispatcher {
  const settings = { keepAliveTimeout: keepAliveMs, connect: { timeout: connectMs }, maxResponseSize };
  if (account.connect !== undefined) return new Agent({ ...settings, connect: connectorOf(account.connect) });
  const proxy = proxyOf(account);
  return proxy === null ? new Agent(settings) : new ProxyAgent({ ...settings, uri: proxy });
}

/** Every connection is checked, also those that replace one that was closed. */
function connectorOf(connect: NonNullable<ProviderAccount['connect']>): buildConnector.connector {
  return ({ protocol, host }, callback) => {
    connect(socketUrl(`${protocol}//${host}`)).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}
