import { PasswordInput, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Provider, ValidationError } from '../../../../sdk/src/index.ts';
import { EyeIcon, EyeOffIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { accountTexts } from './account-texts.ts';
import { type AccountIssue, type AccountValues, bodyOf, issuesIn, usualAddresses, valuesOf } from './accounts.ts';
import { providerNames } from './texts.ts';

interface AccountFormProps {
  readonly provider: Provider;
  /** It is saved, and can be verified. */
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

const monospace = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

/** Sets the credentials of the workspace at a provider. */
export function AccountForm({ provider, onSaved, onClose }: AccountFormProps) {
  const texts = useTexts(accountTexts);
  const names = useTexts(providerNames);
  const client = useClient();
  const queryClient = useQueryClient();
  const [values, setValues] = useState(() => valuesOf(provider));
  const [hasTried, setHasTried] = useState(false);
  const { name, credentials } = provider;
  const saving = useSingleMutation({
    mutationFn: async () => await client.providers.credentials.put(name, bodyOf(provider, values)),
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['providers'] });
      queryClient.invalidateQueries({ queryKey: ['voices'] });
      onClose();
      onSaved();
    },
  });
  const issues = issuesIn(provider, values);
  const answer = hasTried ? answerOf(saving.error) : {};
  const set = (changed: Partial<AccountValues>): void => setValues((before) => ({ ...before, ...changed }));
  const keyIssue = issues.includes('key') ? texts.keyIssue : issues.includes('keyForOther') ? texts.keyForOther : null;
  const issueOf: IssueOf = (field, issue, text) =>
    hasTried ? (issue !== null && issues.includes(issue) ? text : answer[field]) : undefined;
  const last4 = credentials?.apiKey.last4 ?? null;
  return (
    <ActionDialog
      title={texts.title(names[name] ?? name)}
      confirm={texts.save}
      isForm
      action={saving}
      // Otherwise it is shown at its field.
      failure={saving.error instanceof ValidationError ? null : undefined}
      onConfirm={() => {
        setHasTried(true);
        if (issues.length === 0) saving.mutate();
      }}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        {texts.about}
      </Text>
      <PasswordInput
        label={texts.key}
        description={credentials?.apiKey.set ? texts.keyKept(last4) : texts.keyHint}
        value={values.apiKey}
        error={hasTried ? (keyIssue ?? answer.apiKey) : undefined}
        onChange={(event) => set({ apiKey: event.currentTarget.value })}
        // Not a password of this site, which the browser would offer to keep.
        autoComplete="new-password"
        spellCheck={false}
        visibilityToggleIcon={({ reveal }) => (reveal ? <EyeOffIcon /> : <EyeIcon />)}
        visibilityToggleButtonProps={{ 'aria-label': texts.showKey, tabIndex: 0 }}
        data-autofocus
      />
      <AddressInputs name={name} values={values} set={set} issueOf={issueOf} />
    </ActionDialog>
  );
}

type IssueOf = (field: keyof AccountValues, issue: AccountIssue | null, text?: string) => string | undefined;

interface AddressInputsProps {
  readonly name: string;
  readonly values: AccountValues;
  readonly set: (changed: Partial<AccountValues>) => void;
  readonly issueOf: IssueOf;
}

/** Where the provider is, and the names of its models. */
function AddressInputs({ name, values, set, issueOf }: AddressInputsProps) {
  const texts = useTexts(accountTexts);
  return (
    <>
      {name === 'embeddings' && (
        <TextInput
          label={texts.model}
          description={texts.modelHint}
          placeholder="text-embedding-3-small"
          value={values.model}
          error={issueOf('model', 'model', texts.modelIssue)}
          onChange={(event) => set({ model: event.currentTarget.value })}
          spellCheck={false}
          styles={monospace}
        />
      )}
      <TextInput
        label={texts.baseUrl}
        description={texts.baseUrlHint}
        placeholder={usualAddresses[name] ?? ''}
        value={values.baseUrl}
        error={issueOf('baseUrl', null)}
        onChange={(event) => set({ baseUrl: event.currentTarget.value })}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        styles={monospace}
      />
      {name === 'openai' && (
        <Textarea
          label={texts.models}
          description={texts.modelsHint}
          placeholder={'gpt-5.4-mini = llama3.2\n* = qwen3'}
          value={values.models}
          error={issueOf('models', 'models', texts.modelsIssue)}
          onChange={(event) => set({ models: event.currentTarget.value })}
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          styles={monospace}
        />
      )}
    </>
  );
}

/** The issues that only the service has found, by field. */
function answerOf(error: Error | null): Readonly<Record<string, string>> {
  if (!(error instanceof ValidationError)) return {};
  return Object.fromEntries(
    Object.entries(error.fieldErrors).map(([path, messages]) => [path.split('.')[0] ?? '', messages.join(' ')]),
  );
}
