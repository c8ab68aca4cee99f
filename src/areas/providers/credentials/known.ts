import type { Credentials, CredentialsStore } from './store.ts';

export interface KnownCredentialsParts {
  readonly store: Pick<CredentialsStore, 'changedSince'>;
  /** Prepares what these need before they are used. */
  readonly prepare: (changed: readonly Credentials[]) => Promise<void>;
}

/**
 * The credentials of all workspaces as of the last look at the database: a call that starts does not wait for it. They
 * stay sealed here.
 */
export class KnownCredentials {
  readonly #parts: KnownCredentialsParts;
  readonly #byWorkspace = new Map<string, readonly Credentials[]>();
  #revision = 0;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(parts: KnownCredentialsParts) {
    this.#parts = parts;
  }

  /** The credentials of the workspace that were not removed. */
  of(workspaceId: string): readonly Credentials[] {
    return this.#byWorkspace.get(workspaceId) ?? [];
  }

  /** Reads what was committed before. */
  refresh(): Promise<void> {
    if (this.#running === null) return this.#read();
    // What is running may have started before the change.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#read();
      });
    return this.#next;
  }

  #read(): Promise<void> {
    this.#running = this.#readAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #readAll(): Promise<void> {
    const { store, prepare } = this.#parts;
    for (;;) {
      const changed = await store.changedSince(this.#revision);
      if (changed.length === 0) return;
      await prepare(changed.filter(({ isRemoved }) => !isRemoved));
      for (const credentials of changed) this.#apply(credentials);
    }
  }

  #apply(credentials: Credentials): void {
    const { workspaceId, provider, revision, isRemoved } = credentials;
    const others = this.of(workspaceId).filter((each) => each.provider !== provider);
    const all = isRemoved ? others : [...others, credentials];
    if (all.length === 0) this.#byWorkspace.delete(workspaceId);
    else this.#byWorkspace.set(workspaceId, all);
    this.#revision = revision;
  }
}
