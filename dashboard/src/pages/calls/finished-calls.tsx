import { Button, Checkbox, Popover, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Call } from '../../../../sdk/src/index.ts';
import { ChevronDownIcon, DownloadIcon, RotateIcon, TrashIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { lazyPart } from '../../lazy-page.ts';
import { Card } from '../../parts/card.tsx';
import { LazyPart } from '../../parts/lazy-part.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import type { BulkAction } from './bulk/bulk-dialog.tsx';
import { CallTable } from './call-table.tsx';
import classes from './calls.module.css';
import { columnsOf, shortName, useChosenColumns } from './columns.ts';
import { callsTexts } from './texts.ts';

const BulkDialog = lazyPart(async () => (await import('./bulk/bulk-dialog.tsx')).BulkDialog);
const ExportDialog = lazyPart(async () => (await import('./export/export-dialog.tsx')).ExportDialog);

/** Calls that are over, with columns to choose and actions on several of them. */
export function FinishedCalls({ title, calls }: { readonly title: string; readonly calls: readonly Call[] }) {
  const texts = useTexts(callsTexts);
  const [chosen, choose] = useChosenColumns();
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [action, setAction] = useState<BulkAction | 'export' | null>(null);
  // Those that are gone meanwhile are selected no more.
  const selected = calls.filter(({ id }) => ids.has(id));
  const isAll = calls.length > 0 && selected.length === calls.length;
  const close = () => setAction(null);
  if (calls.length === 0 && action === null) {
    return (
      <Card title={title} isFlush>
        <Text size="sm" c="dimmed" p="lg" ta="center">
          {texts.nothingFinished}
        </Text>
      </Card>
    );
  }
  const tools = (
    <div className={classes.tools}>
      <Checkbox
        size="xs"
        label={texts.selectAll}
        checked={isAll}
        indeterminate={selected.length > 0 && !isAll}
        onChange={() => setIds(new Set(isAll ? [] : calls.map(({ id }) => id)))}
      />
      <ColumnChoice calls={calls} chosen={chosen} onChange={choose} />
    </div>
  );
  return (
    <Card title={title} actions={tools} isFlush>
      {selected.length > 0 && (
        <SelectedCalls count={selected.length} onAction={setAction} onClear={() => setIds(new Set())} />
      )}
      <CallTable label={title} calls={calls} columns={chosen} selection={{ ids, onChange: setIds }} />
      {action !== null && (
        <LazyPart fallback={null} onClose={close}>
          {action === 'export' ? (
            <ExportDialog source={{ calls: selected }} onClose={close} />
          ) : (
            <BulkDialog action={action} calls={selected} onClose={close} />
          )}
        </LazyPart>
      )}
    </Card>
  );
}

interface SelectedCallsProps {
  readonly count: number;
  readonly onAction: (action: BulkAction | 'export') => void;
  readonly onClear: () => void;
}

function SelectedCalls({ count, onAction, onClear }: SelectedCallsProps) {
  const { format } = useLanguage();
  const texts = useTexts(callsTexts);
  return (
    <div className={classes.selected}>
      <Text size="sm" fw={550} role="status">
        {texts.selected(format.number(count))}
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<DownloadIcon size={14} />}
        onClick={() => onAction('export')}
      >
        {texts.export}
      </Button>
      <GuardedButton
        scope="calls:write"
        size="compact-sm"
        variant="default"
        leftSection={<RotateIcon size={14} />}
        onClick={() => onAction('analyze')}
      >
        {texts.analyze}
      </GuardedButton>
      <GuardedButton scope="calls:write" size="compact-sm" variant="default" onClick={() => onAction('redact')}>
        {texts.redact}
      </GuardedButton>
      <GuardedButton
        scope="calls:write"
        size="compact-sm"
        variant="default"
        leftSection={<TrashIcon size={14} />}
        onClick={() => onAction('delete')}
      >
        {texts.delete}
      </GuardedButton>
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        {texts.selectNone}
      </Button>
    </div>
  );
}

interface ColumnChoiceProps {
  readonly calls: readonly Call[];
  readonly chosen: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

function ColumnChoice({ calls, chosen, onChange }: ColumnChoiceProps) {
  const texts = useTexts(callsTexts);
  const names = columnsOf(calls, chosen);
  return (
    <Popover position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button size="compact-sm" variant="default" rightSection={<ChevronDownIcon size={14} />}>
          {texts.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm" maw="18rem">
        <Text size="xs" c="dimmed" mb="xs">
          {names.length === 0 ? texts.noColumns : texts.columnsHint}
        </Text>
        <Checkbox.Group value={[...chosen]} onChange={onChange} aria-label={texts.columns}>
          <Stack gap={8} mah="16rem" style={{ overflow: 'auto' }}>
            {names.map((name) => (
              <Checkbox
                key={name}
                size="xs"
                value={name}
                label={shortName(name)}
                description={name.slice(0, name.length - shortName(name).length - 1)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
