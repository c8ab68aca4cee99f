import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, type CreateDocument } from '../../../../sdk/src/index.ts';
import { isPageUrl, maxTextCharacters } from '../../knowledge/documents.ts';
import { useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { documentTexts } from './texts.ts';

interface AddProps {
  readonly baseId: string;
  readonly onClose: () => void;
}

function useAdding({ baseId, onClose }: AddProps) {
  const texts = useTexts(documentTexts);
  const notice = useNotice();
  const { documents } = useClient();
  const queryClient = useQueryClient();
  const action = useSingleMutation({
    mutationFn: async (body: CreateDocument) => await documents.create(baseId, body),
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['knowledge'] });
      notice(texts.added);
      onClose();
    },
  });
  const isFull = action.error instanceof ApiError && action.error.code === 'LIMIT_REACHED';
  return { action, explanation: isFull ? texts.limit : undefined };
}

export function AddText(props: AddProps) {
  const texts = useTexts(documentTexts);
  const { action, explanation } = useAdding(props);
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [hasTried, setHasTried] = useState(false);
  const nameIssue = name.trim() === '' ? texts.nameMissing : null;
  const textIssue = text.trim() === '' ? texts.textMissing : null;
  const submit = () => {
    setHasTried(true);
    if (nameIssue === null && textIssue === null) action.mutate({ name: name.trim(), text });
  };
  return (
    <ActionDialog
      title={texts.addText}
      confirm={texts.add}
      size="lg"
      isForm
      action={action}
      explanation={explanation}
      onConfirm={submit}
      onClose={props.onClose}
    >
      <TextInput
        label={texts.name}
        value={name}
        error={hasTried && nameIssue}
        maxLength={255}
        onChange={({ currentTarget: { value } }) => setName(value)}
        data-autofocus
      />
      <Textarea
        label={texts.text}
        description={texts.textHint}
        value={text}
        error={hasTried && textIssue}
        maxLength={maxTextCharacters}
        autosize
        minRows={8}
        maxRows={20}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
    </ActionDialog>
  );
}

export function AddUrl(props: AddProps) {
  const texts = useTexts(documentTexts);
  const { action, explanation } = useAdding(props);
  const [url, setUrl] = useState('');
  const [hours, setHours] = useState('');
  const [hasTried, setHasTried] = useState(false);
  const issue = isPageUrl(url.trim()) ? null : texts.urlIssue;
  const submit = () => {
    setHasTried(true);
    if (issue === null) action.mutate({ url: url.trim(), refreshEveryHours: hours === '' ? null : Number(hours) });
  };
  return (
    <ActionDialog
      title={texts.addUrl}
      confirm={texts.add}
      isForm
      action={action}
      explanation={explanation}
      onConfirm={submit}
      onClose={props.onClose}
    >
      <TextInput
        label={texts.url}
        description={texts.urlHint}
        placeholder="https://"
        type="url"
        value={url}
        error={hasTried && issue}
        maxLength={2048}
        onChange={({ currentTarget: { value } }) => setUrl(value)}
        data-autofocus
      />
      <NativeSelect
        label={texts.refreshEvery}
        data={[
          { value: '', label: texts.refreshNever },
          { value: '1', label: texts.refreshHourly },
          { value: '24', label: texts.refreshDaily },
          { value: '168', label: texts.refreshWeekly },
        ]}
        value={hours}
        onChange={({ currentTarget: { value } }) => setHours(value)}
      />
    </ActionDialog>
  );
}
