import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, type KnowledgeBase } from '../../../../sdk/src/index.ts';
import { synonymsIn, synonymText } from '../../knowledge/documents.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { knowledgePageTexts } from './texts.ts';

interface BaseFormProps {
  /** Null for a new one. */
  readonly base: KnowledgeBase | null;
  readonly onClose: () => void;
  readonly onSaved: (base: KnowledgeBase) => void;
}

/** Creates a knowledge base, or changes its settings. */
export function BaseForm({ base, onClose, onSaved }: BaseFormProps) {
  const texts = useTexts(knowledgePageTexts);
  const notice = useNotice();
  const { knowledgeBases } = useClient();
  const queryClient = useQueryClient();
  const { language: shown } = useLanguage();
  const [values, setValues] = useState({
    name: base?.name ?? '',
    description: base?.description ?? '',
    language: base?.language ?? shown,
    synonyms: synonymText(base?.synonyms ?? []),
    chunkSize: base?.chunkSize ?? 600,
    useEmbeddings: base?.useEmbeddings ?? true,
  });
  const [hasTried, setHasTried] = useState(false);
  const set = (changed: Partial<typeof values>) => setValues((before) => ({ ...before, ...changed }));
  const saving = useSingleMutation({
    mutationFn: async () => {
      const name = values.name.trim();
      const description = values.description.trim() || null;
      const body = { ...values, name, description, synonyms: synonymsIn(values.synonyms) };
      return base === null ? await knowledgeBases.create(body) : await knowledgeBases.update(base.id, body);
    },
    onSuccess: (saved) => {
      queryClient.invalidateQueries({ queryKey: ['knowledge'] });
      notice(texts.saved);
      onSaved(saved);
    },
  });
  const isNameMissing = values.name.trim() === '';
  const submit = () => {
    setHasTried(true);
    if (!isNameMissing) saving.mutate();
  };
  const isFull = saving.error instanceof ApiError && saving.error.code === 'LIMIT_REACHED';
  return (
    <ActionDialog
      title={base === null ? texts.create : texts.edit}
      confirm={base === null ? texts.create : texts.save}
      isForm
      action={saving}
      explanation={isFull ? texts.limit : undefined}
      onConfirm={submit}
      onClose={onClose}
    >
      <TextInput
        label={texts.name}
        value={values.name}
        error={hasTried && isNameMissing ? texts.nameMissing : null}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
        maxLength={255}
        data-autofocus
      />
      <TextInput
        label={texts.about}
        value={values.description}
        onChange={({ currentTarget: { value } }) => set({ description: value })}
        maxLength={1000}
      />
      <Details values={values} onChange={set} />
    </ActionDialog>
  );
}

interface DetailValues {
  readonly language: string;
  readonly synonyms: string;
  readonly chunkSize: number;
  readonly useEmbeddings: boolean;
}

interface DetailsProps {
  readonly values: DetailValues;
  readonly onChange: (changed: Partial<DetailValues>) => void;
}

/** How its documents are split and searched. */
function Details({ values, onChange }: DetailsProps) {
  const texts = useTexts(knowledgePageTexts);
  const { language, synonyms, chunkSize, useEmbeddings } = values;
  const languages = [
    { value: 'ja', label: texts.japanese },
    { value: 'en', label: texts.english },
  ];
  // Another one may have been set by a request.
  if (!languages.some(({ value }) => value === language)) languages.push({ value: language, label: language });
  return (
    <>
      <NativeSelect
        label={texts.language}
        data={languages}
        value={language}
        onChange={({ currentTarget: { value } }) => onChange({ language: value })}
      />
      <Textarea
        label={texts.synonyms}
        description={texts.synonymsHint}
        placeholder={texts.synonymsPlaceholder}
        autosize
        minRows={2}
        maxRows={8}
        value={synonyms}
        onChange={({ currentTarget: { value } }) => onChange({ synonyms: value })}
      />
      <NumberInput
        label={texts.chunkSize}
        description={texts.chunkSizeHint}
        min={200}
        max={2000}
        step={100}
        clampBehavior="blur"
        allowDecimal={false}
        value={chunkSize}
        onChange={(value) => onChange({ chunkSize: Number(value) })}
      />
      <Switch
        label={texts.useEmbeddings}
        description={texts.useEmbeddingsHint}
        checked={useEmbeddings}
        onChange={({ currentTarget: { checked } }) => onChange({ useEmbeddings: checked })}
      />
    </>
  );
}
