import { ActionIcon, Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { AnalyzeCall, Call, CallAnalysis } from '../../../../../sdk/src/index.ts';
import { PlusIcon, TrashIcon } from '../../../icons.tsx';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { BusyButton } from '../../../parts/busy-button.tsx';
import { describeError } from '../../../parts/error-state.tsx';
import classes from './analysis.module.css';
import { analysisTexts } from './texts.ts';
import { usePreview } from './use-analyses.ts';

type Item = NonNullable<AnalyzeCall['postCallAnalysisData']>[number];

interface Field {
  readonly id: number;
  readonly name: string;
  readonly type: Item['type'];
  readonly description: string;
  readonly options: string;
}

const newField = (id: number): Field => ({ id, name: '', type: 'string', description: '', options: '' });

interface TryFieldsProps {
  readonly call: Call;
  readonly onPreview: (analysis: CallAnalysis) => void;
}

/** Extracts other fields from the call, before they are published in the agent. */
export function TryFields({ call, onPreview }: TryFieldsProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(analysisTexts);
  const [fields, setFields] = useState<readonly Field[]>([newField(0)]);
  const [model, setModel] = useState('');
  const { mutate, error, isPending } = usePreview(call, onPreview);
  const addButton = useRef<HTMLButtonElement>(null);
  const change = (id: number, changes: Partial<Field>) =>
    setFields(fields.map((field) => (field.id === id ? { ...field, ...changes } : field)));
  const remove = (removed: number) => {
    setFields(fields.filter(({ id }) => id !== removed));
    // The button that had the focus is gone.
    addButton.current?.focus();
  };
  const problem = error === null ? null : describeError(error, shared);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ postCallAnalysisData: fields.map(itemOf), ...(model.trim() !== '' && { model: model.trim() }) });
      }}
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {texts.tryHint}
        </Text>
        {fields.map((field) => (
          <FieldInputs
            key={field.id}
            field={field}
            onChange={(changes) => change(field.id, changes)}
            onRemove={fields.length > 1 ? () => remove(field.id) : null}
          />
        ))}
        <TextInput
          className={classes.model as string}
          label={texts.model}
          maxLength={255}
          value={model}
          onChange={({ currentTarget }) => setModel(currentTarget.value)}
        />
        {problem !== null && (
          <Alert color="red" role="alert" title={problem.title}>
            {problem.advice}
          </Alert>
        )}
        <Group gap="sm">
          <Button
            ref={addButton}
            variant="default"
            leftSection={<PlusIcon size={16} />}
            onClick={() => setFields([...fields, newField(Math.max(...fields.map(({ id }) => id)) + 1)])}
          >
            {texts.add}
          </Button>
          <BusyButton type="submit" isBusy={isPending}>
            {texts.start}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  );
}

interface FieldInputsProps {
  readonly field: Field;
  readonly onChange: (changes: Partial<Field>) => void;
  readonly onRemove: (() => void) | null;
}

function FieldInputs({ field: { id, name, type, description, options }, onChange, onRemove }: FieldInputsProps) {
  const texts = useTexts(analysisTexts);
  const input = useRef<HTMLInputElement>(null);
  const isAdded = id > 0;
  useEffect(() => {
    if (isAdded) input.current?.focus();
  }, [isAdded]);
  const types = [
    { value: 'string', label: texts.typeString },
    { value: 'number', label: texts.typeNumber },
    { value: 'boolean', label: texts.typeBoolean },
    { value: 'enum', label: texts.typeEnum },
  ];
  return (
    <div className={classes.field}>
      <TextInput
        ref={input}
        label={texts.name}
        required
        maxLength={255}
        value={name}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <NativeSelect
        label={texts.type}
        data={types}
        value={type}
        onChange={({ currentTarget }) => onChange({ type: currentTarget.value as Item['type'] })}
      />
      <TextInput
        label={texts.description}
        maxLength={10_000}
        value={description}
        onChange={({ currentTarget }) => onChange({ description: currentTarget.value })}
      />
      {type === 'enum' && (
        <TextInput
          label={texts.options}
          required
          value={options}
          onChange={({ currentTarget }) => onChange({ options: currentTarget.value })}
        />
      )}
      {onRemove !== null && (
        <ActionIcon variant="default" aria-label={texts.remove(name === '' ? texts.unnamed : name)} onClick={onRemove}>
          <TrashIcon size={16} />
        </ActionIcon>
      )}
    </div>
  );
}

function itemOf({ name, type, description, options }: Field): Item {
  const choices = options.split(/[,、，]/).map((option) => option.trim());
  return { name, type, description, ...(type === 'enum' && { options: choices.filter((option) => option !== '') }) };
}
