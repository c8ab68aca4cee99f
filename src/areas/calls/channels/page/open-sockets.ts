import { closeCodes } from '../../../../contract/calls/live.ts';
import type { LiveSocket } from './live-socket.ts';

/** The ids of these API keys that exist and are neither revoked nor expired. */
export type FindValidKeys = (keyIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** The sockets of this process, by the API key that created their tokens. */
export class OpenSockets {
  readonly #byKey = new Map<string, Set<LiveSocket>>();
  readonly #findValidKeys: FindValidKeys;
  count = 0;

  constructor(findValidKeys: FindValidKeys) {
    this.#findValidKeys = findValidKeys;
  }

  add(keyId: string, socket: LiveSocket): void {
    const sockets = this.#byKey.get(keyId) ?? new Set();
    this.#byKey.set(keyId, sockets.add(socket));
    this.count += 1;
  }

  remove(keyId: string, socket: LiveSocket): void {
    const sockets = this.#byKey.get(keyId);
    if (sockets?.delete(socket) !== true) return;
    this.count -= 1;
    if (sockets.size === 0) this.#byKey.delete(keyId);
  }

  /** Closes the sockets whose API key is no longer valid. */
  async closeInvalid(): Promise<void> {
    const keyIds = [...this.#byKey.keys()];
    if (keyIds.length === 0) return;
    const valid = await this.#findValidKeys(keyIds);
    for (const keyId of keyIds) {
      if (valid.has(keyId)) continue;
      for (const socket of [...(this.#byKey.get(keyId) ?? [])]) socket.reject(closeCodes.keyInvalid);
    }
  }
}
