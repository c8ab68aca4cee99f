import type { ReactNode } from 'react';
import { State } from './state.tsx';

interface EmptyStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** There is nothing yet: says what would be here, and how to make the first of it. */
export function EmptyState(props: EmptyStateProps) {
  return <State {...props} />;
}
