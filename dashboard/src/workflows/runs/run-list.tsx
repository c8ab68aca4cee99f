import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { WorkflowIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { RunTable } from './run-table.tsx';
import { runTexts } from './texts.ts';
import { type RunFilters, useRuns } from './use-runs.ts';

interface RunListProps {
  readonly filters: RunFilters;
  readonly of?: 'call' | 'workflow';
  /** Whether the user has set filters. */
  readonly isFiltered?: boolean;
  /** If there is none at all. */
  readonly empty?: ReactNode;
}

/** The runs that match, newest first. */
export function RunList({ filters, of, isFiltered = false, empty }: RunListProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(runTexts);
  const list = useRuns(filters);
  const { items, data, error, refetch } = list;
  const none = isFiltered ? (
    <Text c="dimmed" ta="center" py="xl" size="sm">
      {texts.noRunsLike}
    </Text>
  ) : (
    (empty ?? (
      <EmptyState icon={<WorkflowIcon />} title={texts.noRuns}>
        {texts.noRunsNext}
      </EmptyState>
    ))
  );
  return (
    <Stack gap="md">
      <Card isFlush>
        {data === undefined ? (
          error === null ? (
            <RowSkeletons />
          ) : (
            <ErrorState error={error} onRetry={refetch} />
          )
        ) : items.length === 0 ? (
          none
        ) : (
          <RunTable runs={items} {...(of !== undefined && { of })} />
        )}
      </Card>
      {list.hasNextPage && (
        <Button variant="default" mx="auto" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          {shared.loadMore}
        </Button>
      )}
    </Stack>
  );
}
