import type { Credentials } from '../credentials/store.ts';

interface Closable {
  close(): Promise<void>;
}

interface Entry<Client> {
  readonly revision: number;
  readonly client: Client;
  usedAt: number;
}

/** Longer than any call, which asks for its client when it starts. */
const maxUseMs = 3 * 3_600_000;
/** A workspace that replaces its key all the time loses calls that go on with an old one. */
const maxPerAccount = 4;

/**
 * A client for each set of credentials, with its own connections and caches: they are never shared between workspaces. One
 * whose credentials were replaced stays open for the calls that go on with it.
 */
export class AccountClients<Client extends Closable> {
  readonly #entries = new Map<string, Entry<Client>[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(credentials: Credentials, create: () => Client): Client {
    const { workspaceId, provider, revision } = credentials;
    const account = `${workspaceId} ${provider}`;
    const entries = this.#entries.get(account) ?? [];
    const known = entries.find((entry) => entry.revision === revision);
    if (known !== undefined) {
      known.usedAt = this.#now();
      return known.client;
    }
    const added = { revision, client: create(), usedAt: this.#now() };
    entries.push(added);
    for (const { client } of entries.splice(0, entries.length - maxPerAccount)) close(client);
    this.#entries.set(account, entries);
    return added.client;
  }

  /** Closes those that no call can be using any more. */
  sweep(): void {
    const since = this.#now() - maxUseMs;
    for (const [account, entries] of this.#entries) {
      const kept = entries.filter(({ usedAt }) => usedAt >= since);
      for (const { client, usedAt } of entries) if (usedAt < since) close(client);
      if (kept.length === 0) this.#entries.delete(account);
      else this.#entries.set(account, kept);
    }
  }

  async close(): Promise<void> {
    const all = [...this.#entries.values()].flat();
    this.#entries.clear();
    await Promise.allSettled(all.map(({ client }) => client.close()));
  }
}

/** What it still does fails, and is reported where it was asked for. */
function close(client: Closable): void {
  client.close().catch(() => {});
}
