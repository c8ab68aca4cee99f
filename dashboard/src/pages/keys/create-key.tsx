import { Checkbox, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { NewApiKey } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { allScopes, useSession } from '../../session/use-session.ts';
import { scopeText } from './scope-texts.ts';
import { keysTexts } from './texts.ts';

const dayMs = 86_400_000;

interface CreateKeyProps {
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
}

export function CreateKey({ onClose, onCreated }: CreateKeyProps) {
  const { format } = useLanguage();
  const texts = useTexts(keysTexts);
  const { client } = useSession();
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['agents:read']);
  const [days, setDays] = useState('0');
  const [hasTried, setHasTried] = useState(false);
  const creation = useSingleMutation({
    mutationFn: async () =>
      await client.apiKeys.create({
        name: name.trim() === '' ? null : name.trim(),
        scopes: scopes as NonNullable<Parameters<typeof client.apiKeys.create>[0]>['scopes'],
        expiresAt: days === '0' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
      }),
    onSuccess: (key) => {
      queryClient.invalidateQueries({ queryKey: ['keys'] });
      onCreated(key);
    },
  });
  const submit = () => {
    setHasTried(true);
    if (scopes.length > 0) creation.mutate();
  };
  const periods = [
    { value: '0', label: texts.never },
    ...[7, 30, 90].map((count) => ({ value: String(count), label: texts.inDays(format.number(count)) })),
    { value: '365', label: texts.inOneYear },
  ];
  return (
    <ActionDialog
      size="lg"
      title={texts.create}
      confirm={texts.create}
      isForm
      action={creation}
      onConfirm={submit}
      onClose={onClose}
    >
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        placeholder={texts.namePlaceholder}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={255}
        autoComplete="off"
        data-autofocus
      />
      <ScopeChoice value={scopes} onChange={setScopes} hasTried={hasTried} />
      <NativeSelect
        label={texts.expires}
        description={texts.expiresHint}
        data={periods}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
    </ActionDialog>
  );
}

interface ScopeChoiceProps {
  readonly value: string[];
  readonly onChange: (scopes: string[]) => void;
  readonly hasTried: boolean;
}

/** Scopes that the own key lacks cannot be granted: they are shown disabled, with the reason. */
function ScopeChoice({ value, onChange, hasTried }: ScopeChoiceProps) {
  const { texts: shared, language } = useLanguage();
  const texts = useTexts(keysTexts);
  const { whoami } = useSession();
  return (
    <Checkbox.Group
      label={texts.scopes}
      description={texts.scopesHint}
      value={value}
      onChange={onChange}
      error={hasTried && value.length === 0 ? texts.scopesMissing : undefined}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing={8} mt={6}>
        {allScopes.map((scope) => {
          const isOurs = whoami.scopes.includes(scope);
          const about = scopeText(scope, language);
          return (
            <Checkbox
              key={scope}
              value={scope}
              label={scope}
              size="sm"
              disabled={!isOurs}
              description={isOurs ? about : `${about} ${shared.lacksScope(scope)}`}
              styles={{ label: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            />
          );
        })}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
