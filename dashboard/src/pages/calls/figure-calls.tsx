import { Button, Stack, Text } from '@mantine/core';
import type { Filter } from '../../analytics/query.ts';
import { useLabels } from '../../analytics/use-labels.ts';
import { SearchIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { useFoundCalls } from './call-list.ts';
import { CallTable } from './call-table.tsx';
import classes from './calls.module.css';
import { callsTexts } from './texts.ts';

interface FigureCallsProps {
  readonly filter: Filter;
  readonly onClear: () => void;
}

/** The calls behind a figure of the analytics page, with what they have in common. */
export function FigureCalls({ filter, onClear }: FigureCallsProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(callsTexts);
  const found = useFoundCalls(filter);
  const all = (
    <Button size="xs" variant="default" onClick={onClear}>
      {texts.allCalls}
    </Button>
  );
  return (
    <Stack gap="md">
      <div className={classes.behind}>
        <div>
          <Text fw={600}>{texts.behindTitle}</Text>
          <Conditions filter={filter} />
          <Text size="xs" c="dimmed" mt={6}>
            {texts.behindNext}
          </Text>
        </div>
        {all}
      </div>
      {found.data === undefined ? (
        <Card isFlush>
          {found.error === null ? <RowSkeletons /> : <ErrorState error={found.error} onRetry={found.refetch} />}
        </Card>
      ) : (
        <Card isFlush>
          {found.items.length === 0 ? (
            <EmptyState icon={<SearchIcon />} title={texts.nothingTitle} actions={all}>
              {texts.nothingNext}
            </EmptyState>
          ) : (
            <CallTable label={texts.behindTitle} calls={found.items} />
          )}
        </Card>
      )}
      {found.hasNextPage && (
        <Button variant="default" loading={found.isFetchingNextPage} onClick={() => found.fetchNextPage()} mx="auto">
          {shared.loadMore}
        </Button>
      )}
    </Stack>
  );
}

const signs: Readonly<Record<string, string>> = { eq: '=', ne: '≠', in: '=', lt: '<', lte: '≤', gt: '>', gte: '≥' };

function Conditions({ filter }: { readonly filter: Filter }) {
  const { format } = useLanguage();
  const texts = useTexts(callsTexts);
  const all = 'all' in filter ? filter.all : [filter];
  const ids = all.flatMap((part) => ('field' in part && part.field === 'agentId' ? [String(part.value)] : []));
  const labels = useLabels(ids);
  const textOf = (part: Filter): string => {
    if (!('field' in part)) return texts.notAll;
    const { field, op, value } = part;
    if (op === 'exists') return `${field} ${value === true ? texts.exists : texts.existsNot}`;
    const values = Array.isArray(value) ? value : [value];
    const words = values.map((each) =>
      field.endsWith('At') ? format.dateTime(String(each)) : labels.value(field, each),
    );
    return `${field} ${signs[op] ?? op} ${words.join(', ')}`;
  };
  return (
    <ul className={classes.conditions} aria-label={texts.conditions}>
      {all.map((part) => (
        <li key={JSON.stringify(part)}>{textOf(part)}</li>
      ))}
    </ul>
  );
}
