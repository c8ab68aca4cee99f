/**
 * Limits the bytes of responses that clients have not read yet, across the process. One workspace may use half of the
 * budget, so that its slow clients cannot block all others.
 */
export class UnsentResponses {
  readonly #maxBytes: number;
  readonly #bytesByWorkspace = new Map<string, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  hasRoomFor(workspaceId: string, bytes: number): boolean {
    if (this.#bytes === 0) return true;
    const ownBytes = this.#bytesByWorkspace.get(workspaceId) ?? 0;
    return this.#bytes + bytes <= this.#maxBytes && ownBytes + bytes <= this.#maxBytes / 2;
  }

  /** Counts the bytes until `release` is called. */
  add(workspaceId: string, bytes: number): { release(): void } {
    this.#change(workspaceId, bytes);
    return { release: () => this.#change(workspaceId, -bytes) };
  }

  #change(workspaceId: string, bytes: number): void {
    this.#bytes += bytes;
    const ownBytes = (this.#bytesByWorkspace.get(workspaceId) ?? 0) + bytes;
    if (ownBytes === 0) this.#bytesByWorkspace.delete(workspaceId);
    else this.#bytesByWorkspace.set(workspaceId, ownBytes);
  }
}
