import type { ReactNode } from 'react';
import { State } from './state.tsx';

interface EmptyStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** An empty list: explains what belongs here and how to create the first item. */
export function EmptyState(props: EmptyStateProps) {
  return <State {...props} />;
}
