import type { Socket } from 'node:net';

/** How the service reaches a provider. */
export interface ProviderAccount {
  /** Null: requests carry no credential, for servers of the operator. */
  readonly apiKey: string | null;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** `http://host:port` of a proxy for addresses that start with `https://`: others are in the operator's own network. */
  readonly proxy?: string | null;
  /**
   * Opens a connection to a `wss://` or `ws://` address, for accounts whose address is not the operator's: the guard of
   * outbound connections. It knows the proxy.
   */
  readonly connect?: ((url: string) => Promise<Socket>) | undefined;
  /** Tells accounts with a provider apart, so that nothing one of them has paid for is kept for another. */
  readonly accountId?: string;
}

/** The proxy for this account, if there is one. */
export function proxyOf({ baseUrl, proxy = null }: Pick<ProviderAccount, 'baseUrl' | 'proxy'>): string | null {
  return baseUrl.startsWith('https:') ? proxy : null;
}

/** `wss://…` of `https://…`. */
export function socketUrl(baseUrl: string): string {
  return baseUrl.replace(/^http/, 'ws');
}
