import { Stack, Text } from '@mantine/core';
import type { Call } from '../../../../sdk/src/index.ts';
import type { UsageEntry } from '../../calls/call.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Facts, Id } from '../../parts/facts.tsx';
import classes from './call.module.css';
import { NotApplied } from './not-applied.tsx';
import { callPageTexts } from './texts.ts';
import { useEngineName } from './use-engine-name.ts';

export function Details({ call }: { readonly call: Call }) {
  const texts = useTexts(callPageTexts);
  return (
    <Stack gap="md">
      <Card title={texts.notApplied}>
        <NotApplied call={call} />
      </Card>
      <Card title={texts.usage}>
        <Usage entries={call.usage.breakdown} />
      </Card>
      <Card title={texts.about} actions={<CopyButton size="xs" value={call.id} label={texts.id} />}>
        <About call={call} />
      </Card>
      {call.type === 'phone' && (
        <Card title={texts.phone}>
          <Phone call={call} />
        </Card>
      )}
      <Values title={texts.variables} values={call.variables} />
      <Values title={texts.collected} values={call.collectedVariables} />
      <Values title={texts.metadata} values={call.metadata} />
    </Stack>
  );
}

function Usage({ entries }: { readonly entries: readonly UsageEntry[] }) {
  const { format } = useLanguage();
  const texts = useTexts(callPageTexts);
  if (entries.length === 0) return <Quiet>{texts.usageNone}</Quiet>;
  return (
    <Facts
      facts={entries.map((entry) => [
        texts[entry.capability],
        <>
          <span className={classes.usage}>
            {[entry.provider, entry.model].filter((part) => part !== null).join(' · ')}
          </span>
          <span className={classes.usage}>
            {texts.requests(format.number(entry.requests))} · {amountOf(entry, texts, format)}
          </span>
        </>,
      ])}
    />
  );
}

interface AmountTexts {
  tokens(sent: string, cached: string, received: string): string;
  audio(time: string): string;
  characters(count: string): string;
}

function amountOf(
  entry: UsageEntry,
  texts: AmountTexts,
  { number, clock }: { number(value: number): string; clock(ms: number): string },
): string {
  if (entry.capability === 'stt') return texts.audio(clock(entry.audioMs));
  if (entry.capability === 'tts') return texts.characters(number(entry.characters));
  return texts.tokens(number(entry.promptTokens), number(entry.cachedTokens), number(entry.completionTokens));
}

function About({ call }: { readonly call: Call }) {
  const texts = useTexts(callPageTexts);
  const engine = useEngineName(call);
  const storage = {
    everything: texts.storageAll,
    everything_except_pii: texts.storagePii,
    basic_attributes_only: texts.storageBasic,
  };
  return (
    <Facts
      facts={[
        [texts.id, <Id key="id">{call.id}</Id>],
        [texts.externalId, call.externalId ?? '—'],
        [texts.engine, engine],
        [texts.storage, storage[call.dataStorageSetting]],
      ]}
    />
  );
}

function Phone({ call }: { readonly call: Call }) {
  const { format } = useLanguage();
  const texts = useTexts(callPageTexts);
  const { provider, billedMs } = call.usage.carrier;
  return (
    <Facts
      facts={[
        [texts.carrier, provider ?? '—'],
        [texts.carrierCallId, <Id key="id">{call.providerCallId}</Id>],
        [texts.billed, format.clock(billedMs)],
      ]}
    />
  );
}

interface ValuesProps {
  readonly title: string;
  readonly values: Readonly<Record<string, unknown>>;
}

function Values({ title, values }: ValuesProps) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <Card title={title}>
      <Facts
        facts={entries.map(([name, value]) => [
          <Id key="name">{name}</Id>,
          typeof value === 'string' ? value : JSON.stringify(value),
        ])}
      />
    </Card>
  );
}

function Quiet({ children }: { readonly children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
