import { Button, Stack, Table, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, type DoNotCallEntry } from '../../../../sdk/src/index.ts';
import { NumberIcon, PlusIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { Card } from '../../parts/card.tsx';
import { ActionsCell, DataTable } from '../../parts/data-table.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNotice } from '../../parts/notice.ts';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { formatNumber, readNumber } from '../../phone/number-format.ts';
import { issueIn, serviceIssues } from '../../phone/service-issues.ts';
import { useClient } from '../../session/use-session.ts';
import { doNotCallTexts } from './carrier-texts.ts';
import classes from './numbers.module.css';

const maxNumbers = 10_000;
const listKey = ['phone', 'do-not-call'];

export function DoNotCallList() {
  const texts = useTexts(doNotCallTexts);
  const { doNotCall } = useClient();
  const [open, setOpen] = useState<'add' | DoNotCallEntry | null>(null);
  const close = () => setOpen(null);
  useFocusReturn(open !== null);
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(
    typed
      .normalize('NFKC')
      .replaceAll(/[^\d+]/g, '')
      .slice(0, 16),
    200,
  );
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {texts.description}
      </Text>
      <div className={classes.buttons} style={{ alignItems: 'end', justifyContent: 'space-between' }}>
        <TextInput
          size="xs"
          label={texts.search}
          type="tel"
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
        />
        <GuardedButton
          scope="phone-numbers:write"
          variant="default"
          leftSection={<PlusIcon size={16} />}
          onClick={() => setOpen('add')}
        >
          {texts.add}
        </GuardedButton>
      </div>
      <Entries search={search} onRemove={setOpen} />
      {open === 'add' && <AddNumbers onClose={close} />}
      {open !== null && open !== 'add' && (
        <DeleteDialog
          title={texts.removeTitle(formatNumber(open.number))}
          confirm={texts.remove}
          text={texts.removeText}
          done={texts.removed}
          queryKey={listKey}
          onDelete={() => doNotCall.delete(open.number)}
          onClose={close}
        />
      )}
    </Stack>
  );
}

interface EntriesProps {
  readonly search: string;
  readonly onRemove: (entry: DoNotCallEntry) => void;
}

function Entries({ search, onRemove }: EntriesProps) {
  const { texts: general } = useLanguage();
  const texts = useTexts(doNotCallTexts);
  const { doNotCall } = useClient();
  const list = useInfiniteQuery({
    queryKey: [...listKey, search],
    queryFn: async ({ pageParam, signal }) => {
      const query = pageParam === null ? { q: search === '' ? undefined : search } : { cursor: pageParam };
      const page = await doNotCall.list({ limit: 50, ...query }, { signal });
      return { items: page.items, nextCursor: page.nextCursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  const entries = list.data?.pages.flatMap(({ items }) => items) ?? [];
  if (entries.length === 0) {
    return (
      <Card isFlush>
        {list.isPending ? (
          <RowSkeletons />
        ) : list.error !== null ? (
          <ErrorState error={list.error} onRetry={list.refetch} />
        ) : search === '' ? (
          <EmptyState icon={<NumberIcon />} title={texts.emptyTitle}>
            {texts.emptyNext}
          </EmptyState>
        ) : (
          <Text size="sm" c="dimmed" p="lg" ta="center">
            {texts.nothing}
          </Text>
        )}
      </Card>
    );
  }
  return (
    <>
      <Card isFlush>
        <EntryTable entries={entries} onRemove={onRemove} />
      </Card>
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()} mx="auto">
          {general.loadMore}
        </Button>
      )}
    </>
  );
}

interface EntryTableProps {
  readonly entries: readonly DoNotCallEntry[];
  readonly onRemove: (entry: DoNotCallEntry) => void;
}

function EntryTable({ entries, onRemove }: EntryTableProps) {
  const texts = useTexts(doNotCallTexts);
  return (
    <DataTable
      label={texts.numbers}
      columns={[
        texts.number,
        texts.reason,
        texts.source,
        texts.createdAt,
        { title: texts.actions, isTitleHidden: true },
      ]}
      cardsBelow="narrow"
      hasLongTitles
    >
      {entries.map((entry) => (
        <Table.Tr key={entry.number}>
          <Table.Td className={classes.number as string}>{formatNumber(entry.number)}</Table.Td>
          <Table.Td data-title={texts.reason}>{entry.reason ?? '—'}</Table.Td>
          <Table.Td data-title={texts.source}>{texts[entry.source]}</Table.Td>
          <Table.Td data-title={texts.createdAt}>
            <Ago at={entry.createdAt} />
          </Table.Td>
          <ActionsCell>
            <GuardedButton
              scope="phone-numbers:write"
              variant="subtle"
              size="compact-sm"
              onClick={() => onRemove(entry)}
            >
              {texts.remove}
              <span className="visually-hidden"> ({formatNumber(entry.number)})</span>
            </GuardedButton>
          </ActionsCell>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

function AddNumbers({ onClose }: { readonly onClose: () => void }) {
  const { format } = useLanguage();
  const texts = useTexts(doNotCallTexts);
  const notice = useNotice();
  const { doNotCall } = useClient();
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [issue, setIssue] = useState<string | undefined>(undefined);
  const lines = typed.split(/[\n,;、]/).filter((line) => line.trim() !== '');
  const adding = useSingleMutation({
    mutationFn: async () => {
      const numbers = lines.map((line) => readNumber(line)?.number ?? line.trim());
      return await doNotCall.add({ numbers, reason: reason.trim() === '' ? null : reason.trim() });
    },
    onSuccess: ({ added, known }) => {
      queryClient.invalidateQueries({ queryKey: listKey });
      notice(texts.added(format.number(added), format.number(known)));
      onClose();
    },
  });
  const found = issueIn(serviceIssues(adding.error), 'numbers');
  const isFull = adding.error instanceof ApiError && adding.error.code === 'LIMIT_REACHED';
  const submit = () => {
    // Not while typing: ten thousand numbers take a moment.
    const next = issueOf(lines, texts);
    setIssue(next);
    if (next === undefined) adding.mutate();
  };
  return (
    <ActionDialog
      title={texts.addTitle}
      confirm={texts.add}
      isForm
      action={adding}
      explanation={isFull ? texts.full : undefined}
      failure={found === undefined ? undefined : null}
      onConfirm={submit}
      onClose={onClose}
    >
      <Textarea
        label={texts.numbers}
        description={texts.numbersHint}
        placeholder={'+81 90 1234 5678\n+81 3 1234 5678'}
        value={typed}
        error={issue ?? found}
        autosize
        minRows={4}
        maxRows={12}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
        data-autofocus
      />
      <TextInput
        label={texts.reason}
        placeholder={texts.reasonPlaceholder}
        value={reason}
        maxLength={255}
        onChange={({ currentTarget: { value } }) => setReason(value)}
      />
    </ActionDialog>
  );
}

interface IssueTexts {
  readonly numbersMissing: string;
  readonly numbersMany: string;
  numbersWrong(number: string): string;
}

function issueOf(lines: readonly string[], texts: IssueTexts): string | undefined {
  if (lines.length === 0) return texts.numbersMissing;
  if (lines.length > maxNumbers) return texts.numbersMany;
  const wrong = lines.find((line) => readNumber(line) === null);
  return wrong === undefined ? undefined : texts.numbersWrong(wrong.trim());
}
