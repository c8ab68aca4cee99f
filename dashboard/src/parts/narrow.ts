import { useMediaQuery } from '@mantine/hooks';
import { useTrial } from '../try/try-context.ts';

/** Whether the panel for trying an agent covers the page, because there is no room beside it. */
export function useIsCovering(): boolean {
  return useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false });
}

/** Whether a page has no room for a wide table: as the container queries, where a style is not enough. */
export function useIsNarrow(): boolean {
  const { agent } = useTrial();
  // The panel is 25em wide.
  const query = agent === null ? '(max-width: 62em)' : '(max-width: 87em)';
  return useMediaQuery(query, false, { getInitialValueInEffect: false });
}
