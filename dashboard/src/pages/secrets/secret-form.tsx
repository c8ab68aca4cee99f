import { Alert, PasswordInput, TagsInput, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, type Secret, ValidationError } from '../../../../sdk/src/index.ts';
import { EyeIcon, EyeOffIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import { isHost, isSecretName, isSecretValue, maxHosts } from './secret-checks.ts';
import { secretsTexts } from './texts.ts';

interface SecretFormProps {
  /** Null for a new one. */
  readonly secret: Secret | null;
  readonly onClose: () => void;
}

/** Sets a secret. The service has one operation for new and existing ones. */
export function SecretForm({ secret, onClose }: SecretFormProps) {
  const texts = useTexts(secretsTexts);
  const notice = useNotice();
  const client = useClient();
  const queryClient = useQueryClient();
  const [name, setName] = useState(secret?.name ?? '');
  const [value, setValue] = useState('');
  const [hosts, setHosts] = useState<string[]>(secret?.hosts ?? []);
  const [hasTried, setHasTried] = useState(false);
  const existing = queryClient.getQueryData<Secret[]>(['secrets']) ?? [];
  const saving = useSingleMutation({
    mutationFn: async () => await client.secrets.put(name, { value, hosts }),
    onSuccess: () => {
      queryClient.invalidateQueries({ queryKey: ['secrets'] });
      notice(texts.saved(name));
      onClose();
    },
  });
  const issues = issuesOf({ name, value, hosts }, texts);
  const shown = hasTried ? { ...issues, ...answerOf(saving.error) } : {};
  const submit = () => {
    setHasTried(true);
    if (Object.keys(issues).length === 0) saving.mutate();
  };
  const isFull = saving.error instanceof ApiError && saving.error.code === 'LIMIT_REACHED';
  const isTaken = secret === null && existing.some((other) => other.name === name);
  return (
    <ActionDialog
      title={secret === null ? texts.create : texts.replaceTitle(secret.name)}
      confirm={texts.save}
      isForm
      action={saving}
      explanation={isFull ? texts.limit : undefined}
      // Otherwise it is shown at its field.
      failure={saving.error instanceof ValidationError ? null : undefined}
      onConfirm={submit}
      onClose={onClose}
    >
      {secret === null && <NameInput name={name} issue={shown.name} onChange={setName} />}
      {isTaken && <Alert color="orange">{texts.nameTaken}</Alert>}
      <ValueInput value={value} issue={shown.value} isNew={secret === null} onChange={setValue} />
      <TagsInput
        label={texts.hosts}
        description={texts.hostsHint}
        placeholder={hosts.length === 0 ? texts.hostsPlaceholder : ''}
        value={hosts}
        error={shown.hosts}
        onChange={(next) => setHosts(hostsOf(next))}
        splitChars={[',', ' ', ';', '、']}
        acceptValueOnBlur
      />
      {isSecretName(name) && (
        <Text size="xs" c="dimmed">
          {texts.use(name)}
        </Text>
      )}
    </ActionDialog>
  );
}

interface NameInputProps {
  readonly name: string;
  readonly issue: string | undefined;
  readonly onChange: (name: string) => void;
}

function NameInput({ name, issue, onChange }: NameInputProps) {
  const texts = useTexts(secretsTexts);
  return (
    <TextInput
      label={texts.name}
      description={texts.nameHint}
      placeholder={texts.namePlaceholder}
      value={name}
      error={issue}
      // Typing in lower case is a common mistake that needs no message.
      onChange={(event) => onChange(event.currentTarget.value.toUpperCase())}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      data-autofocus
    />
  );
}

interface ValueInputProps {
  readonly value: string;
  readonly issue: string | undefined;
  readonly isNew: boolean;
  readonly onChange: (value: string) => void;
}

function ValueInput({ value, issue, isNew, onChange }: ValueInputProps) {
  const texts = useTexts(secretsTexts);
  return (
    <PasswordInput
      label={texts.value}
      description={isNew ? texts.valueHint : texts.valueHintReplace}
      value={value}
      error={issue}
      onChange={(event) => onChange(event.currentTarget.value)}
      // Not a password of this site, which the browser would offer to keep.
      autoComplete="new-password"
      spellCheck={false}
      visibilityToggleIcon={({ reveal }) => (reveal ? <EyeOffIcon /> : <EyeIcon />)}
      visibilityToggleButtonProps={{ 'aria-label': texts.showValue, tabIndex: 0 }}
      data-autofocus={!isNew || undefined}
    />
  );
}

/** A list that is pasted becomes several hosts. */
function hostsOf(given: readonly string[]): string[] {
  const hosts = given.flatMap((text) => text.toLowerCase().split(/[\s,;、]+/)).filter((host) => host !== '');
  return [...new Set(hosts)];
}

interface Values {
  readonly name: string;
  readonly value: string;
  readonly hosts: readonly string[];
}

type Issues = { readonly [Field in keyof Values]?: string };

interface IssueTexts {
  readonly nameIssue: string;
  readonly valueMissing: string;
  readonly valueIssue: string;
  readonly hostsMissing: string;
  readonly hostsMany: string;
  hostsIssue(host: string): string;
}

function issuesOf({ name, value, hosts }: Values, texts: IssueTexts): Issues {
  const badHost = hosts.find((host) => !isHost(host));
  const hostIssue =
    hosts.length === 0
      ? texts.hostsMissing
      : hosts.length > maxHosts
        ? texts.hostsMany
        : badHost === undefined
          ? undefined
          : texts.hostsIssue(badHost);
  const valueIssue = value === '' ? texts.valueMissing : isSecretValue(value) ? undefined : texts.valueIssue;
  return {
    ...(isSecretName(name) ? {} : { name: texts.nameIssue }),
    ...(valueIssue === undefined ? {} : { value: valueIssue }),
    ...(hostIssue === undefined ? {} : { hosts: hostIssue }),
  };
}

/** The issues that only the service has found, by field. */
function answerOf(error: Error | null): Issues {
  if (!(error instanceof ValidationError)) return {};
  const entries = Object.entries(error.fieldErrors).map(([path, messages]) => [path.split('.')[0], messages.join(' ')]);
  return Object.fromEntries(entries);
}
