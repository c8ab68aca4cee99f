/** How the service reaches a provider. */
export interface ProviderAccount {
  /** Null: requests carry no credential, for servers of the operator. */
  readonly apiKey: string | null;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** `http://host:port` of a proxy for addresses that start with `https://`: others are in the operator's own network. */
  readonly proxy?: string | null;
}

/** The proxy for this account, if there is one. */
export function proxyOf({ baseUrl, proxy = null }: Pick<ProviderAccount, 'baseUrl' | 'proxy'>): string | null {
  return baseUrl.startsWith('https:') ? proxy : null;
}

/** `wss://…` of `https://…`. */
export function socketUrl(baseUrl: string): string {
  return baseUrl.replace(/^http/, 'ws');
}
