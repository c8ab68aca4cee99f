import { NativeSelect, TagsInput, Text } from '@mantine/core';
import { useState } from 'react';
import { callColumnNames, defaultCallColumns, isCallColumn } from '../../../../../src/core/call-columns.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { ActionDialog } from '../../../parts/dialog.tsx';
import { useNotice } from '../../../parts/notice.ts';
import { exportTexts } from './texts.ts';
import { type ExportSource, useExport } from './use-export.ts';

interface ExportDialogProps {
  readonly source: ExportSource;
  readonly onClose: () => void;
}

export function ExportDialog({ source, onClose }: ExportDialogProps) {
  const { format } = useLanguage();
  const texts = useTexts(exportTexts);
  const notice = useNotice();
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [columns, setColumns] = useState<string[]>([...defaultCallColumns]);
  const [timeZone, setTimeZone] = useState(own);
  const { run, count, error, isRunning } = useExport(source, (total) => {
    notice(texts.finished(format.number(total)), 'good');
    onClose();
  });
  const unknown = columns.find((name) => !isCallColumn(name));
  const problem = columns.length === 0 ? texts.noColumns : unknown === undefined ? null : texts.notColumn(unknown);
  // What has been written already has these columns.
  const isBegun = count !== null;
  return (
    <ActionDialog
      title={texts.title}
      size="lg"
      confirm={isBegun ? texts.next : texts.start}
      action={{ isPending: isRunning, error }}
      isBarred={problem !== null}
      isForm
      onConfirm={() => void run({ columns, timeZone })}
      onClose={onClose}
    >
      <Text size="sm">{'calls' in source ? texts.aboutSelected(format.number(source.calls.length)) : texts.about}</Text>
      <TagsInput
        label={texts.columns}
        description={texts.columnsHint}
        data={[...callColumnNames]}
        value={columns}
        onChange={setColumns}
        error={problem}
        disabled={isBegun}
        splitChars={[',']}
        maxDropdownHeight={220}
        comboboxProps={{ withinPortal: true }}
      />
      <NativeSelect
        label={texts.timeZone}
        description={texts.apostrophe}
        data={[...new Set([own, 'UTC'])]}
        value={timeZone}
        onChange={(event) => setTimeZone(event.currentTarget.value)}
        disabled={isBegun}
      />
      {isBegun && (
        <Text size="sm" role="status">
          {texts.done(format.number(count))}
        </Text>
      )}
    </ActionDialog>
  );
}
