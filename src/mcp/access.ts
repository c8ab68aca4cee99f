import type { VoiceAgents, Whoami } from '../../sdk/src/index.ts';
import type { Tool } from './tool.ts';

/** A client that starts its servers waits for each of them. */
const maxAskMs = 2000;

/** What the key may do, asked of the service once it can be asked. A key keeps its scopes for life. */
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

  /** Asks unless it is known. That nobody answers is no failure here: whoever calls a tool is told. */
  learn(): Promise<void> {
    if (this.#known !== null) return Promise.resolve();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** Until it is known, everything may be tried: the service refuses what it has to. */
  allows({ scope }: Tool): boolean {
    return scope === null || this.#known === null || this.#known.scopes.some((held) => held === scope);
  }

  async #ask(): Promise<void> {
    try {
      this.#known = await this.#client.whoami({ timeout: maxAskMs, maxRetries: 0 });
    } catch {
      // Asked again when tools are listed, and after each call.
    }
  }
}
