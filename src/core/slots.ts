/** Runs a limited number of tasks at a time. Others wait in order of arrival. */
export function createSlots(count: number) {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    use: async <T>(work: () => Promise<T>): Promise<T> => {
      if (taken < count) taken += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) taken -= 1;
        else next();
      }
    },
  };
}
