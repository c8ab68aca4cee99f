import { Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Provider } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { useClient } from '../../session/use-session.ts';
import { AccountForm } from './account-form.tsx';
import { accountTexts } from './account-texts.ts';
import { ProviderTable } from './provider-table.tsx';
import classes from './providers.module.css';
import { Sources } from './sources.tsx';
import { providerNames, providersTexts } from './texts.ts';
import { useVerifications } from './verification.tsx';

/** The lines that connect a provider which is not. */
const lines: Readonly<Record<string, string>> = {
  deepgram: 'export DEEPGRAM_API_KEY=…',
  elevenlabs: 'export ELEVENLABS_API_KEY=…',
  cartesia: 'export CARTESIA_API_KEY=…',
  openai: 'export OPENAI_API_KEY=…',
  embedded: 'npm ci --include=optional',
};

/** What calls can use. */
export function Providers() {
  const texts = useTexts(providersTexts);
  return (
    <>
      <PageHeader description={texts.description} />
      <ScopeGuard scope="calls:read">
        <ProviderList />
      </ScopeGuard>
    </>
  );
}

/** The open dialog; only one at a time. */
interface Open {
  readonly dialog: 'edit' | 'remove';
  readonly provider: Provider;
}

function ProviderList() {
  const texts = useTexts(accountTexts);
  const names = useTexts(providerNames);
  const client = useClient();
  const verifications = useVerifications();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['providers'],
    queryFn: async ({ signal }) => (await client.providers.list({ signal })).items,
  });
  if (data === undefined) {
    return <Card isFlush>{error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={refetch} />}</Card>;
  }
  return (
    <Stack gap="lg">
      <Sources providers={data} />
      <Card isFlush>
        <ProviderTable
          providers={data}
          verifications={verifications}
          onEdit={(provider) => setOpen({ dialog: 'edit', provider })}
          onRemove={(provider) => setOpen({ dialog: 'remove', provider })}
        />
      </Card>
      <Missing providers={data.filter(({ configured, name }) => !configured && lines[name] !== undefined)} />
      {open?.dialog === 'edit' && (
        <AccountForm
          provider={open.provider}
          onSaved={() => verifications.verify(open.provider.name)}
          onClose={close}
        />
      )}
      {open?.dialog === 'remove' && (
        <DeleteDialog
          title={texts.removeTitle(names[open.provider.name] ?? open.provider.name)}
          confirm={texts.remove}
          text={texts.removeText}
          done={texts.removed(names[open.provider.name] ?? open.provider.name)}
          queryKey={['providers']}
          onDelete={() => {
            verifications.forget(open.provider.name);
            return client.providers.credentials.delete(open.provider.name);
          }}
          onClose={close}
        />
      )}
    </Stack>
  );
}

function Missing({ providers }: { readonly providers: readonly Provider[] }) {
  const texts = useTexts(providersTexts);
  const names = useTexts(providerNames);
  if (providers.length === 0) return null;
  return (
    <Card>
      <Title order={2} size="h4">
        {texts.connectTitle}
      </Title>
      <Text size="sm" c="dimmed" mt={4} mb="md">
        {texts.connectText}
      </Text>
      <ul className={classes.lines}>
        {providers.map(({ name }) => (
          <li key={name}>
            <Text size="sm" fw={550}>
              {names[name] ?? name}
            </Text>
            <Group gap="xs" wrap="nowrap">
              <Code className={classes.line as string}>{lines[name]}</Code>
              <CopyButton value={lines[name] ?? ''} size="compact-sm" />
            </Group>
          </li>
        ))}
      </ul>
    </Card>
  );
}
