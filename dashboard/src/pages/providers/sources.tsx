import { Text, Title } from '@mantine/core';
import type { Provider } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { Facts } from '../../parts/facts.tsx';
import { nothingTexts, providerNames, providersTexts, sourceTexts } from './texts.ts';

const capabilities = ['stt', 'llm', 'tts', 'embeddings'] as const;

/** Where each capability comes from. */
export function Sources({ providers }: { readonly providers: readonly Provider[] }) {
  const texts = useTexts(providersTexts);
  const names = useTexts(providerNames);
  const sources = useTexts(sourceTexts);
  const nothing = useTexts(nothingTexts);
  const facts = capabilities.map((capability) => {
    const found = providers.find(({ usedFor }) => usedFor.includes(capability));
    const name = found === undefined ? null : (names[found.name] ?? found.name);
    return [
      texts[capability],
      <span key={capability} data-capability={capability}>
        {found === undefined || name === null ? (
          <Text component="span" size="sm" c="dimmed">
            {nothing[capability]}
          </Text>
        ) : (
          <>
            <Text component="span" size="sm" fw={550}>
              {name}
            </Text>{' '}
            <Text component="span" size="sm" c="dimmed">
              {sources[found.source]}
            </Text>
          </>
        )}
      </span>,
    ] as const;
  });
  return (
    <Card>
      <Title order={2} size="h4" mb="sm">
        {texts.sourcesTitle}
      </Title>
      <Facts facts={facts} />
    </Card>
  );
}
