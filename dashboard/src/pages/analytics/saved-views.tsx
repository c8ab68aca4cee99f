import { Button, Menu, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { View } from '../../../../sdk/src/index.ts';
import type { Query } from '../../analytics/query.ts';
import { browserZone } from '../../analytics/zone.ts';
import { ChartIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { useClient, useScope } from '../../session/use-session.ts';
import classes from './analytics.module.css';
import { FigureCard } from './figure-card.tsx';
import { ViewDialog } from './view-dialog.tsx';
import { savedViewTexts } from './view-texts.ts';

const maxViews = 200;

interface Open {
  readonly dialog: 'edit' | 'delete';
  readonly view: View;
}

/** The saved views, each with its chart. */
export function SavedViews() {
  const texts = useTexts(savedViewTexts);
  const { analytics } = useClient();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['analytics', 'views'],
    queryFn: async ({ signal }) => (await analytics.views.list({ limit: maxViews }, { signal })).items,
  });
  if (data === undefined) {
    return <Card isFlush>{error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={refetch} />}</Card>;
  }
  if (data.length === 0) return <NoViews />;
  return (
    <Stack gap="md">
      <div className={classes.grid}>
        {data.map((view) => (
          <SavedView key={view.id} view={view} onOpen={setOpen} />
        ))}
      </div>
      {open?.dialog === 'edit' && <ViewDialog id={open.view.id} view={open.view} onClose={close} />}
      {open?.dialog === 'delete' && (
        <DeleteDialog
          title={texts.deleteTitle(open.view.name)}
          text={texts.deleteText}
          confirm={texts.deleteConfirm}
          done={texts.deleted}
          queryKey={['analytics', 'views']}
          onDelete={() => analytics.views.delete(open.view.id)}
          onClose={close}
        />
      )}
    </Stack>
  );
}

function SavedView({ view, onOpen }: { readonly view: View; readonly onOpen: (open: Open) => void }) {
  const texts = useTexts(savedViewTexts);
  const { isAllowed } = useScope('analytics:write');
  const query = { timeZone: browserZone(), ...view.query } as Query;
  const items = (
    <>
      <Menu.Item disabled={!isAllowed} onClick={() => onOpen({ dialog: 'edit', view })}>
        {texts.editDo}
      </Menu.Item>
      <Menu.Item disabled={!isAllowed} color="red" onClick={() => onOpen({ dialog: 'delete', view })}>
        {texts.deleteDo}
      </Menu.Item>
    </>
  );
  const { name: title, description, chart } = view;
  return (
    <FigureCard
      figure={{ title, about: description ?? title, none: texts.none, query, chart, isWide: chart === 'table' }}
      items={items}
    />
  );
}

function NoViews() {
  const texts = useTexts(savedViewTexts);
  const next = (
    <Button component={Link} href="/analytics" variant="default">
      {texts.toCharts}
    </Button>
  );
  return (
    <Card isFlush>
      <EmptyState icon={<ChartIcon />} title={texts.emptyTitle} actions={next}>
        {texts.emptyNext}
      </EmptyState>
    </Card>
  );
}
