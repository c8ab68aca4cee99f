import { Table, Text } from '@mantine/core';
import type { PreviewVoice, Provider } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dot } from '../../parts/dot.tsx';
import { usePageName } from '../../parts/page-name.ts';
import { useClient } from '../../session/use-session.ts';
import { PlayButton } from '../../speech/play-button.tsx';
import { sampleText } from '../../speech/texts.ts';
import { useVoicePlayer } from '../../speech/use-voice-player.ts';
import { createLanguageNames } from '../agents/language-names.ts';
import { usualAddresses } from './accounts.ts';
import classes from './providers.module.css';
import { RowActions } from './row-actions.tsx';
import { providerNames, providerNotes, providersTexts, sourceTexts } from './texts.ts';
import { Outcome, type useVerifications } from './verification.tsx';

const maxLanguages = 5;

interface ProviderTableProps {
  readonly providers: readonly Provider[];
  readonly verifications: ReturnType<typeof useVerifications>;
  readonly onEdit: (provider: Provider) => void;
  readonly onRemove: (provider: Provider) => void;
}

export function ProviderTable({ providers, ...actions }: ProviderTableProps) {
  const texts = useTexts(providersTexts);
  return (
    <DataTable
      label={usePageName()}
      columns={[
        texts.provider,
        texts.state,
        texts.does,
        texts.languages,
        texts.test,
        { title: texts.actions, isTitleHidden: true },
      ]}
      cardsBelow="medium"
    >
      {providers.map((provider) => (
        <Row key={`${provider.name} ${provider.capabilities}`} provider={provider} {...actions} />
      ))}
    </DataTable>
  );
}

function Row({
  provider,
  verifications,
  onEdit,
  onRemove,
}: Omit<ProviderTableProps, 'providers'> & { readonly provider: Provider }) {
  const texts = useTexts(providersTexts);
  const names = useTexts(providerNames);
  const { name, configured, capabilities, source, credentials } = provider;
  const last4 = credentials?.apiKey.last4 ?? null;
  const note = useTexts(providerNotes)[name];
  const sources = useTexts(sourceTexts);
  return (
    <Table.Tr data-provider={name}>
      <Table.Td className={classes.name as string}>
        {names[name] ?? name}
        {note !== undefined && (
          <Text size="xs" c="dimmed" fw={400}>
            {note}
          </Text>
        )}
      </Table.Td>
      <Table.Td data-title={texts.state}>
        <div>
          <Dot tone={configured ? 'good' : 'quiet'}>{configured ? texts.connected : texts.notConnected}</Dot>
          {source !== 'none' && (
            <Text size="xs" c="dimmed" mt={2}>
              {sources[source]}
              {last4 !== null && (
                <>
                  <br />
                  {texts.endsWith(last4)}
                </>
              )}
            </Text>
          )}
          <Outcome provider={name} found={verifications.of(name)} />
        </div>
      </Table.Td>
      <Table.Td data-title={texts.does}>{capabilities.map((each) => texts[each]).join(texts.comma)}</Table.Td>
      <Table.Td data-title={texts.languages}>
        {configured || provider.languages.length > 0 ? <Languages tags={provider.languages} /> : '–'}
      </Table.Td>
      <Table.Td data-title={texts.test}>
        {configured && capabilities.includes('tts') ? <Test provider={provider} /> : '–'}
      </Table.Td>
      {usualAddresses[name] === undefined ? (
        <Table.Td />
      ) : (
        <RowActions
          provider={provider}
          isVerifying={verifications.of(name) === 'running'}
          onEdit={() => onEdit(provider)}
          onVerify={() => verifications.verify(name)}
          onRemove={() => onRemove(provider)}
        />
      )}
    </Table.Tr>
  );
}

function Languages({ tags }: { readonly tags: readonly string[] }) {
  const { language } = useLanguage();
  const texts = useTexts(providersTexts);
  if (tags.length === 0) return texts.allLanguages;
  const names = createLanguageNames(language);
  // Those of the dashboard first: they are the ones that are looked for.
  const sorted = tags.toSorted((one, other) => Number(isOurs(other)) - Number(isOurs(one)));
  const shown = sorted.slice(0, maxLanguages).map(names).join(texts.comma);
  const more = sorted.length - maxLanguages;
  return (
    <span title={sorted.map(names).join(texts.comma)}>
      {more > 0 ? `${shown} ${texts.moreLanguages(more)}` : shown}
    </span>
  );
}

function isOurs(tag: string): boolean {
  return tag === 'ja' || tag === 'en';
}

/** Says a sentence with the provider's first voice. */
function Test({ provider }: { readonly provider: Provider }) {
  const { language } = useLanguage();
  const names = useTexts(providerNames);
  const client = useClient();
  const player = useVoicePlayer();
  const { name, languages } = provider;
  const spoken = languages.length === 0 || languages.includes(language) ? language : (languages[0] ?? language);
  const body = async (): Promise<PreviewVoice | null> => {
    const { items } = await client.voices.list({ provider: name, language: spoken });
    // A provider without a list of voices may still have one of its own.
    return { provider: name, voiceId: items[0]?.voiceId ?? 'default', language: spoken, text: sampleText(spoken) };
  };
  return (
    <span className={classes.test}>
      <PlayButton player={player} name={names[name] ?? name} body={body} />
      <Text component="span" size="xs" c="red.8" role="status">
        {player.failure}
      </Text>
    </span>
  );
}
