import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { NotFoundError } from '../../../sdk/src/index.ts';
import { SearchIcon } from '../icons.tsx';
import { BackLink } from './back-link.tsx';
import { Card } from './card.tsx';
import { ErrorState } from './error-state.tsx';
import { PageHeader } from './page-header.tsx';
import { PageSkeleton } from './page-skeleton.tsx';
import { RowSkeletons } from './row-skeletons.tsx';
import { State } from './state.tsx';

interface PendingPageProps {
  readonly error: Error | null;
  readonly onRetry: () => void;
  /** The list that the page belongs to. */
  readonly list: { readonly href: string; readonly name: string };
  readonly texts: { readonly notThere: string; readonly notThereNext: string };
}

/** A page without what it is about: still loading, failed, or there is no such thing. */
export function PendingPage({ error, onRetry, list, texts }: PendingPageProps) {
  if (error === null) return <PageSkeleton />;
  if (!(error instanceof NotFoundError)) return <ErrorState error={error} onRetry={onRetry} />;
  const back = (
    <Button component={Link} href={list.href} variant="default">
      {list.name}
    </Button>
  );
  return (
    <>
      <PageHeader title={texts.notThere} above={<BackLink href={list.href}>{list.name}</BackLink>} />
      <State icon={<SearchIcon />} actions={back}>
        {texts.notThereNext}
      </State>
    </>
  );
}

interface ListCardProps<Item> {
  readonly list: {
    readonly data: readonly Item[] | undefined;
    readonly error: Error | null;
    readonly refetch: () => void;
  };
  readonly empty: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/** A list in a card: still loading, failed, empty, or its items. */
export function ListCard<Item>({ list: { data, error, refetch }, empty, children }: ListCardProps<Item>) {
  return (
    <Card isFlush>
      {data !== undefined ? (
        data.length === 0 ? (
          empty
        ) : (
          children(data)
        )
      ) : error === null ? (
        <RowSkeletons />
      ) : (
        <ErrorState error={error} onRetry={refetch} />
      )}
    </Card>
  );
}
