import { Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Provider } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { useClient } from '../../session/use-session.ts';
import { ProviderTable } from './provider-table.tsx';
import classes from './providers.module.css';
import { providerNames, providersTexts } from './texts.ts';

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

function ProviderList() {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['providers'],
    queryFn: async ({ signal }) => (await client.providers.list({ signal })).items,
  });
  if (data === undefined) {
    return <Card isFlush>{error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={refetch} />}</Card>;
  }
  return (
    <Stack gap="lg">
      <Card isFlush>
        <ProviderTable providers={data} />
      </Card>
      <Missing providers={data.filter(({ configured, name }) => !configured && lines[name] !== undefined)} />
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
