export type Handlers<Events> = { readonly [Name in keyof Events]?: (value: Events[Name]) => void };

/** Typed events. A handler that throws does not disturb the call or other handlers. */
export class Emitter<Events> {
  readonly #handlers = new Map<keyof Events, Set<(value: never) => void>>();

  constructor(handlers: Handlers<Events> = {}) {
    for (const name of Object.keys(handlers) as (keyof Events)[]) {
      const handler = handlers[name];
      if (handler !== undefined) this.on(name, handler);
    }
  }

  /** Returns a function that removes the handler. */
  on<Name extends keyof Events>(name: Name, handler: (value: Events[Name]) => void): () => void {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(handler));
    return () => {
      handlers.delete(handler);
    };
  }

  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    for (const handler of this.#handlers.get(name) ?? []) {
      try {
        (handler as (value: Events[Name]) => void)(value);
      } catch (error) {
        // Reported as an uncaught error of the page.
        setTimeout(() => {
          throw error;
        });
      }
    }
  }
}
