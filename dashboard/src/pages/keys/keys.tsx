import { Button, Skeleton, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey, NewApiKey } from '../../../../sdk/src/index.ts';
import { KeyIcon, PlusIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNewParameter } from '../../parts/new-parameter.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { useClient } from '../../session/use-session.ts';
import { CreateKey } from './create-key.tsx';
import { KeyTable } from './key-table.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';
import { Secret } from './secret.tsx';
import { keysTexts } from './texts.ts';

/** The open dialog; only one at a time. */
type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'rotate' | 'revoke'; readonly key: ApiKey }
  | { readonly dialog: 'secret'; readonly key: NewApiKey };

export function Keys() {
  const { description, create } = useTexts(keysTexts);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  useNewParameter('keys:write', () => setOpen({ dialog: 'create' }));
  // Handled here and not in each dialog, because the secret dialog follows another one.
  useFocusReturn(open !== null);
  const showSecret = (key: NewApiKey) => setOpen({ dialog: 'secret', key });
  const actions = (
    <GuardedButton
      scope="keys:write"
      leftSection={<PlusIcon size={16} />}
      onClick={() => setOpen({ dialog: 'create' })}
    >
      {create}
    </GuardedButton>
  );
  return (
    <>
      <PageHeader description={description} actions={actions} />
      <ScopeGuard scope="keys:read">
        <KeyList
          onRotate={(key) => setOpen({ dialog: 'rotate', key })}
          onRevoke={(key) => setOpen({ dialog: 'revoke', key })}
        />
      </ScopeGuard>
      {open?.dialog === 'create' && <CreateKey onClose={close} onCreated={showSecret} />}
      {open?.dialog === 'rotate' && <RotateKey apiKey={open.key} onClose={close} onRotated={showSecret} />}
      {open?.dialog === 'revoke' && <RevokeKey apiKey={open.key} onClose={close} />}
      {open?.dialog === 'secret' && <Secret apiKey={open.key} onClose={close} />}
    </>
  );
}

interface KeyListProps {
  readonly onRotate: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

function KeyList({ onRotate, onRevoke }: KeyListProps) {
  const { texts } = useLanguage();
  const { emptyTitle, emptyNext } = useTexts(keysTexts);
  const client = useClient();
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['keys', 'list'],
    queryFn: async ({ pageParam, signal }) => {
      const page = await client.apiKeys.list({ limit: 50, cursor: pageParam ?? undefined }, { signal });
      return { keys: page.items, nextCursor: page.nextCursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  if (isPending) return <Skeletons />;
  const keys = data?.pages.flatMap((page) => page.keys) ?? [];
  if (keys.length === 0) {
    return (
      <Card isFlush>
        {error === null ? (
          <EmptyState icon={<KeyIcon />} title={emptyTitle}>
            {emptyNext}
          </EmptyState>
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        )}
      </Card>
    );
  }
  return (
    <Stack gap="md">
      <Card isFlush>
        <KeyTable keys={keys} onRotate={onRotate} onRevoke={onRevoke} />
      </Card>
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()} mx="auto">
          {texts.loadMore}
        </Button>
      )}
    </Stack>
  );
}

function Skeletons() {
  const { texts } = useLanguage();
  return (
    <Card>
      <div aria-busy="true">
        <span className="visually-hidden" role="status">
          {texts.loading}
        </span>
        <Stack gap={24} py="sm" aria-hidden="true">
          {['90%', '82%', '94%', '76%'].map((width) => (
            <Skeleton key={width} height={22} width={width} />
          ))}
        </Stack>
      </div>
    </Card>
  );
}
