/** Works on several at the same time. The first that throws ends it: what is under way is waited for, nothing else begun. */
export async function forEachAtOnce<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let failure: { readonly error: unknown } | null = null;
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (failure !== null) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (failure !== null) throw (failure as { readonly error: unknown }).error;
}
