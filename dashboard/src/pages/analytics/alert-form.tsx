import { Checkbox, NativeSelect, Alert as Note, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Alert, ApiError, type CreateAlert } from '../../../../sdk/src/index.ts';
import { unitOf } from '../../analytics/metric.ts';
import { useFieldList } from '../../analytics/use-field-list.ts';
import { useLabels } from '../../analytics/use-labels.ts';
import { AgentFilter } from '../../calls/agent-filter.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { alertTexts } from './alert-texts.ts';
import { type AlertFields, bodyOf, fieldsOf, isNumber, ops, windows } from './alert-values.ts';

interface AlertFormProps {
  /** Null for a new one. */
  readonly alert: Alert | null;
  readonly onClose: () => void;
}

interface PartProps {
  readonly fields: AlertFields;
  readonly hasTried: boolean;
  readonly onChange: (part: Partial<AlertFields>) => void;
}

export function AlertForm({ alert, onClose }: AlertFormProps) {
  const texts = useTexts(alertTexts);
  const [fields, setFields] = useState(() => fieldsOf(alert));
  const [hasTried, setHasTried] = useState(false);
  const saving = useSaving(alert, onClose);
  const isFull = saving.error instanceof ApiError && saving.error.code === 'LIMIT_REACHED';
  const submit = () => {
    setHasTried(true);
    const body = bodyOf(fields);
    if (body !== null) saving.mutate(body);
  };
  const parts = {
    fields,
    hasTried,
    onChange: (part: Partial<AlertFields>) => setFields((now) => ({ ...now, ...part })),
  };
  return (
    <ActionDialog
      size="lg"
      title={alert === null ? texts.create : texts.edit}
      confirm={texts.confirm}
      isForm
      action={saving}
      explanation={isFull ? texts.limit : undefined}
      onConfirm={submit}
      onClose={onClose}
    >
      <Subject {...parts} />
      <Condition {...parts} />
      <Limits {...parts} />
    </ActionDialog>
  );
}

/** What it looks at. */
function Subject({ fields, hasTried, onChange }: PartProps) {
  const texts = useTexts(alertTexts);
  const labels = useLabels();
  const { language } = useLanguage();
  const { data = [] } = useFieldList();
  // The service defines its metrics in English only.
  const definition = data.find(({ kind, name }) => kind === 'metric' && name === fields.metric)?.definition;
  const metrics = data.filter(({ kind }) => kind === 'metric').map(({ name }) => name as CreateAlert['metric']);
  const isListed = metrics.includes(fields.metric);
  return (
    <>
      <TextInput
        label={texts.name}
        value={fields.name}
        maxLength={255}
        error={hasTried && fields.name.trim() === '' && texts.required}
        onChange={({ currentTarget: { value } }) => onChange({ name: value })}
        data-autofocus
      />
      <Select
        label={texts.metric}
        description={language === 'en' ? definition : undefined}
        data={(isListed ? metrics : [fields.metric, ...metrics]).map((value) => ({
          value,
          label: `${labels.metric(value)} (${value})`,
        }))}
        searchable
        limit={60}
        allowDeselect={false}
        nothingFoundMessage={texts.noMetric}
        value={fields.metric}
        onChange={(value) => value !== null && onChange({ metric: value as CreateAlert['metric'] })}
      />
      {fields.metric.startsWith('field.') && (
        <TextInput
          label={texts.field}
          description={texts.fieldHint}
          value={fields.field}
          maxLength={300}
          error={hasTried && fields.field.trim() === '' && texts.required}
          onChange={({ currentTarget: { value } }) => onChange({ field: value })}
        />
      )}
      {fields.otherFilter === null ? (
        <AgentFilter agentId={fields.agentId} onChange={(agentId) => onChange({ agentId })} size="sm" />
      ) : (
        <Note color="gray">{texts.filtered}</Note>
      )}
    </>
  );
}

function Condition({ fields, hasTried, onChange }: PartProps) {
  const texts = useTexts(alertTexts);
  const unit = unitOf(fields.metric);
  const words = { ratio: texts.percent, milliseconds: texts.ms, micros: texts.money } as Record<string, string>;
  const word = fields.relative ? texts.percent : words[unit ?? ''];
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <NativeSelect
          label={texts.window}
          data={windows.map((value) => ({ value, label: texts[value] }))}
          value={fields.window}
          onChange={({ currentTarget: { value } }) => onChange({ window: value as AlertFields['window'] })}
        />
        <NativeSelect
          label={texts.is}
          data={ops.map((value) => ({ value, label: texts[value] }))}
          value={fields.op}
          onChange={({ currentTarget: { value } }) => onChange({ op: value as AlertFields['op'] })}
        />
        <TextInput
          label={texts.value}
          {...(word !== undefined && { description: texts.valueHint(word) })}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          inputMode="decimal"
          value={fields.value}
          maxLength={20}
          error={hasTried && !isNumber(fields.value) && texts.noNumber}
          onChange={({ currentTarget: { value } }) => onChange({ value })}
        />
      </SimpleGrid>
      <Checkbox
        label={texts.relative}
        description={texts.relativeHint}
        checked={fields.relative}
        onChange={({ currentTarget: { checked } }) => onChange({ relative: checked })}
      />
    </>
  );
}

function Limits({ fields, onChange }: PartProps) {
  const texts = useTexts(alertTexts);
  return (
    <>
      <TextInput
        label={texts.minCalls}
        description={texts.minCallsHint}
        inputMode="numeric"
        placeholder={fields.metric === 'calls' ? '0' : '1'}
        maxLength={5}
        value={fields.minCalls}
        onChange={({ currentTarget: { value } }) => onChange({ minCalls: value.replaceAll(/\D/g, '') })}
      />
      <Checkbox
        label={texts.enabled}
        checked={fields.enabled}
        onChange={({ currentTarget: { checked } }) => onChange({ enabled: checked })}
      />
    </>
  );
}

function useSaving(alert: Alert | null, onClose: () => void) {
  const texts = useTexts(alertTexts);
  const notice = useNotice();
  const { analytics } = useClient();
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async (body: CreateAlert) => {
      if (alert === null) await analytics.alerts.create(body);
      else await analytics.alerts.update(alert.id, body);
    },
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['analytics', 'alerts'] });
      notice(texts.saved);
      onClose();
    },
  });
}
