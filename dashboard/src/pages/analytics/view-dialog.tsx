import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, type SavedQuery, type View } from '../../../../sdk/src/index.ts';
import type { ChartKind } from '../../analytics/query.ts';
import { useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { savedViewTexts } from './view-texts.ts';

const charts: readonly ChartKind[] = ['line', 'bar', 'table', 'number', 'heatmap'];
const listed = ['analytics', 'views'];

interface ViewDialogProps {
  /** Null for a new one. */
  readonly id: string | null;
  readonly view: Pick<View, 'name' | 'description' | 'chart'> & { readonly query: object };
  readonly onClose: () => void;
}

/** Saves a query with the way it is shown. */
export function ViewDialog({ id, view, onClose }: ViewDialogProps) {
  const texts = useTexts(savedViewTexts);
  const [fields, setFields] = useState(() => ({ ...view, query: JSON.stringify(view.query, null, 2) }));
  const [hasTried, setHasTried] = useState(false);
  const query = parsed(fields.query);
  const saving = useSaving(id, onClose);
  const isFull = saving.error instanceof ApiError && saving.error.code === 'LIMIT_REACHED';
  const change = (part: Partial<typeof fields>) => setFields((now) => ({ ...now, ...part }));
  const submit = () => {
    setHasTried(true);
    const { name, description, chart } = fields;
    if (name.trim() !== '' && query !== null) saving.mutate({ name: name.trim(), description, chart, query });
  };
  return (
    <ActionDialog
      size="lg"
      title={id === null ? texts.save : texts.edit}
      confirm={texts.confirm}
      isForm
      action={saving}
      explanation={isFull ? texts.limit : undefined}
      onConfirm={submit}
      onClose={onClose}
    >
      <TextInput
        label={texts.name}
        value={fields.name}
        maxLength={255}
        error={hasTried && fields.name.trim() === '' && texts.nameMissing}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
        data-autofocus
      />
      <TextInput
        label={texts.description}
        value={fields.description ?? ''}
        maxLength={1000}
        onChange={({ currentTarget: { value } }) => change({ description: value === '' ? null : value })}
      />
      <NativeSelect
        label={texts.chart}
        {...(fields.chart === 'heatmap' && { description: texts.heatmapHint })}
        data={charts.map((value) => ({ value, label: texts[value] }))}
        value={fields.chart}
        onChange={({ currentTarget: { value } }) => change({ chart: value as ChartKind })}
      />
      <Textarea
        label={texts.query}
        description={texts.queryHint}
        autosize
        minRows={6}
        maxRows={14}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.75rem' } }}
        value={fields.query}
        error={hasTried && query === null && texts.queryWrong}
        onChange={({ currentTarget: { value } }) => change({ query: value })}
      />
    </ActionDialog>
  );
}

function useSaving(id: string | null, onClose: () => void) {
  const texts = useTexts(savedViewTexts);
  const notice = useNotice();
  const { analytics } = useClient();
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async (fields: Pick<View, 'name' | 'description' | 'chart'> & { readonly query: SavedQuery }) => {
      if (id === null) await analytics.views.create(fields);
      else await analytics.views.update(id, fields);
    },
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: listed });
      notice(texts.saved);
      onClose();
    },
  });
}

function parsed(text: string): SavedQuery | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SavedQuery) : null;
  } catch {
    return null;
  }
}
