/** How many requests are sent at once: a key may send others meanwhile. */
const maxInFlight = 4;

export interface BulkFailure<Item> {
  readonly item: Item;
  readonly error: Error;
}

interface BulkOptions<Item> {
  readonly items: readonly Item[];
  readonly act: (item: Item, signal: AbortSignal) => Promise<unknown>;
  /** No other item is started once it is aborted; those that have started are finished. */
  readonly signal: AbortSignal;
  readonly onDone: (failure: BulkFailure<Item> | null) => void;
}

/** Acts on all items, a few at once. A failure of one does not stop the others. */
export async function runAll<Item>({ items, act, signal, onDone }: BulkOptions<Item>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length && !signal.aborted) {
      const item = items[next] as Item;
      next += 1;
      try {
        await act(item, signal);
        onDone(null);
      } catch (error) {
        onDone({ item, error: error as Error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxInFlight, items.length) }, work));
}
