import type { VoiceAgents, Whoami } from '../../sdk/src/index.ts';
import type { Tool } from './tool.ts';

/** Kept short, because clients wait for their servers to start. */
const maxAskMs = 2000;

/** The scopes of the key, fetched as soon as the service is reachable. The scopes of a key never change. */
export class Access {
  readonly #client: VoiceAgents;
  #known: Whoami | null = null;
  #asking: Promise<void> | null = null;

  constructor(client: VoiceAgents) {
    this.#client = client;
  }

  get known(): Whoami | null {
    return this.#known;
  }

  /** Fetches the scopes unless known. Failures are ignored here: tool calls report them. */
  learn(): Promise<void> {
    if (this.#known !== null) return Promise.resolve();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** Everything is allowed until the scopes are known; the service enforces them anyway. */
  allows({ scope }: Tool): boolean {
    return scope === null || this.#known === null || this.#known.scopes.some((held) => held === scope);
  }

  async #ask(): Promise<void> {
    try {
      this.#known = await this.#client.whoami({ timeout: maxAskMs, maxRetries: 0 });
    } catch {
      // Retried when tools are listed, and after each call.
    }
  }
}
