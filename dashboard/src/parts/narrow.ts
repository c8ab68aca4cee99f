import { useMediaQuery } from '@mantine/hooks';
import { useTrial } from '../try/try-context.ts';

/** Whether a page has no room for a wide table: as the container queries, where a style is not enough. */
export function useIsNarrow(): boolean {
  const { agent } = useTrial();
  // The panel is 25em wide.
  const query = agent === null ? '(max-width: 62em)' : '(max-width: 87em)';
  return useMediaQuery(query, false, { getInitialValueInEffect: false });
}
