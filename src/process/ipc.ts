type RequestTypes<Requests> = {
  readonly [Name in keyof Requests]: { readonly input: unknown; readonly output: unknown };
};

type Message =
  | { readonly kind: 'request'; readonly id: number; readonly name: string; readonly input: unknown }
  | { readonly kind: 'response'; readonly id: number; readonly output: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly reason: string };

/** Sends a message over the channel, and calls back once it was sent or has failed. */
export type Send = (message: object, done: (error: Error | null) => void) => unknown;

/**
 * Requests and responses over the IPC channels of a process. `receive` takes every incoming message; requests and
 * responses carry an id, so that both directions can share a channel.
 */
export class IpcRequests<Requests extends RequestTypes<Requests>> {
  #lastId = 0;
  readonly #pending = new Map<number, (message: Exclude<Message, { kind: 'request' }>) => void>();
  readonly #handlers = new Map<string, (input: never) => unknown>();

  handle<Name extends keyof Requests & string>(
    name: Name,
    handler: (input: Requests[Name]['input']) => Requests[Name]['output'] | Promise<Requests[Name]['output']>,
  ): void {
    this.#handlers.set(name, handler);
  }

  /** Rejects if the other process does not respond in time, cannot be reached, or fails. */
  request<Name extends keyof Requests & string>(
    send: Send,
    { name, input, timeoutMs }: { name: Name; input: Requests[Name]['input']; timeoutMs: number },
  ): Promise<Requests[Name]['output']> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<Requests[Name]['output']>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no response to ${name} within ${timeoutMs} ms`)), timeoutMs);
      this.#pending.set(id, (message) => {
        clearTimeout(timer);
        if (message.kind === 'response') resolve(message.output);
        else reject(new Error(message.reason));
      });
      send({ kind: 'request', id, name, input } satisfies Message, (error) => {
        if (error !== null) this.#pending.get(id)?.({ kind: 'failure', id, reason: error.message });
      });
    }).finally(() => this.#pending.delete(id));
  }

  async receive(message: Message, send: Send): Promise<void> {
    if (message.kind === 'request') send(await this.#respond(message), ignoreError);
    else this.#pending.get(message.id)?.(message);
  }

  async #respond({ id, name, input }: Message & { kind: 'request' }): Promise<Message> {
    try {
      const handler = this.#handlers.get(name);
      if (handler === undefined) throw new Error(`no handler for ${name}`);
      return { kind: 'response', id, output: await handler(input as never) };
    } catch (error) {
      return { kind: 'failure', id, reason: (error as Error).message };
    }
  }
}

/** The requesting process has exited. */
function ignoreError(): void {}
