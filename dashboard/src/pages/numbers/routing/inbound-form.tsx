import { NativeSelect, NumberInput, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { InboundCalls, PhoneNumber } from '../../../../../sdk/src/index.ts';
import { useTexts } from '../../../language/language.tsx';
import { ActionDialog } from '../../../parts/dialog.tsx';
import { AgentChoice } from '../../../phone/agent-choice.tsx';
import { CountryInput } from '../../../phone/country-input.tsx';
import { readNumber } from '../../../phone/number-format.ts';
import { hasOnlyIssuesOf, issueIn, serviceIssues } from '../../../phone/service-issues.ts';
import { phoneTexts } from '../../../phone/texts.ts';
import { routingTexts } from '../texts.ts';
import { type Fallback, fallbackOf } from './fallback.ts';
import { useSaving } from './use-saving.ts';

interface Fields {
  readonly enabled: boolean;
  readonly agentId: string | null;
  /** Null: the published one. Empty while it is being typed. */
  readonly version: number | '' | null;
  readonly fallback: Fallback['type'];
  readonly fallbackText: string;
  readonly fallbackTo: string;
  readonly countries: readonly string[];
  readonly blocked: readonly string[];
  readonly requestUrl: string;
}

type Issues = Readonly<Record<string, string | undefined>>;

interface InboundFormProps {
  readonly number: PhoneNumber;
  readonly onClose: () => void;
}

const shownPaths = ['agentId', 'agentVersion', 'fallback', 'allowedCountries', 'blockedNumbers', 'requestUrl'].map(
  (name) => `inbound.${name}`,
);

/** Who answers a number, and what happens to other calls. */
export function InboundForm({ number, onClose }: InboundFormProps) {
  const texts = useTexts(routingTexts);
  const { save, numberMissing } = useTexts(phoneTexts);
  const [fields, setFields] = useState<Fields>(() => fieldsOf(number.inbound));
  const [hasTried, setHasTried] = useState(false);
  const saving = useSaving(number, onClose);
  const change = (part: Partial<Fields>) => setFields((now) => ({ ...now, ...part }));
  const own = issuesOf(fields, number.country, { ...texts, numberMissing });
  const found = serviceIssues(saving.error);
  const ofService = (path: string) => issueIn(found, `inbound.${path}`);
  const shown: Issues = {
    agentId: ofService('agentId'),
    countries: ofService('allowedCountries'),
    requestUrl: ofService('requestUrl'),
    version: ofService('agentVersion'),
    fallback: ofService('fallback'),
    blocked: ofService('blockedNumbers'),
    ...(hasTried ? own : {}),
  };
  const submit = () => {
    setHasTried(true);
    if (Object.keys(own).length === 0) saving.mutate({ inbound: changesOf(fields, number.country) });
  };
  return (
    <ActionDialog
      size="lg"
      title={texts.editInbound}
      confirm={save}
      isForm
      action={saving}
      failure={hasOnlyIssuesOf(saving.error, shownPaths) ? null : undefined}
      onConfirm={submit}
      onClose={onClose}
    >
      <Switch
        label={texts.inboundEnabled}
        checked={fields.enabled}
        onChange={({ currentTarget: { checked } }) => change({ enabled: checked })}
        data-autofocus
      />
      {fields.enabled && (
        <>
          <Answering fields={fields} shown={shown} onChange={change} />
          <FallbackFields fields={fields} shown={shown} onChange={change} />
          <Filters fields={fields} shown={shown} onChange={change} />
        </>
      )}
    </ActionDialog>
  );
}

interface PartProps {
  readonly fields: Fields;
  readonly shown: Issues;
  readonly onChange: (part: Partial<Fields>) => void;
}

function Answering({ fields, shown, onChange }: PartProps) {
  const texts = useTexts(routingTexts);
  return (
    <>
      <AgentChoice
        label={texts.agent}
        description={texts.agentHint}
        agentId={fields.agentId}
        error={shown.agentId}
        onChange={(agentId) => onChange({ agentId })}
      />
      {fields.agentId !== null && (
        <NativeSelect
          label={texts.version}
          value={fields.version === null ? 'published' : 'fixed'}
          data={[
            { value: 'published', label: texts.versionPublished },
            { value: 'fixed', label: texts.versionFixed },
          ]}
          onChange={({ currentTarget: { value } }) => onChange({ version: value === 'published' ? null : '' })}
        />
      )}
      {fields.agentId !== null && fields.version !== null && (
        <NumberInput
          label={texts.versionNumber}
          value={fields.version}
          error={shown.version}
          min={1}
          max={999_999_999}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          onChange={(value) => onChange({ version: typeof value === 'number' ? value : '' })}
        />
      )}
    </>
  );
}

function FallbackFields({ fields, shown, onChange }: PartProps) {
  const texts = useTexts(routingTexts);
  const { numberPlaceholder } = useTexts(phoneTexts);
  return (
    <>
      <NativeSelect
        label={texts.fallback}
        description={texts.fallbackHint}
        value={fields.fallback}
        data={[
          { value: 'reject', label: texts.fallbackReject },
          { value: 'message', label: texts.fallbackMessage },
          { value: 'number', label: texts.fallbackNumber },
        ]}
        onChange={({ currentTarget: { value } }) => onChange({ fallback: value as Fallback['type'] })}
      />
      {fields.fallback === 'message' && (
        <Textarea
          label={texts.fallbackText}
          placeholder={texts.fallbackTextPlaceholder}
          value={fields.fallbackText}
          error={shown.fallback}
          maxLength={500}
          autosize
          minRows={2}
          onChange={({ currentTarget: { value } }) => onChange({ fallbackText: value })}
        />
      )}
      {fields.fallback === 'number' && (
        <TextInput
          label={texts.fallbackTo}
          placeholder={numberPlaceholder}
          type="tel"
          value={fields.fallbackTo}
          error={shown.fallback}
          maxLength={40}
          onChange={({ currentTarget: { value } }) => onChange({ fallbackTo: value })}
        />
      )}
    </>
  );
}

/** Which calls are answered at all. */
function Filters({ fields, shown, onChange }: PartProps) {
  const texts = useTexts(routingTexts);
  return (
    <>
      <CountryInput
        label={texts.countries}
        description={texts.countriesHint}
        placeholder={texts.countriesAll}
        countries={fields.countries}
        error={shown.countries}
        onChange={(countries) => onChange({ countries })}
      />
      <TagsInput
        label={texts.blocked}
        description={texts.blockedHint}
        value={[...fields.blocked]}
        error={shown.blocked}
        maxTags={1000}
        splitChars={[',', ';', '、', '\n']}
        acceptValueOnBlur
        onChange={(blocked) => onChange({ blocked })}
      />
      <TextInput
        label={texts.requestUrl}
        description={texts.requestUrlHint}
        placeholder="https://shop.example.com/inbound"
        type="url"
        value={fields.requestUrl}
        error={shown.requestUrl}
        maxLength={2048}
        onChange={({ currentTarget: { value } }) => onChange({ requestUrl: value.trim() })}
      />
    </>
  );
}

function fieldsOf(inbound: InboundCalls): Fields {
  const fallback = fallbackOf(inbound);
  return {
    enabled: inbound.enabled,
    agentId: inbound.agentId,
    version: inbound.agentVersion === 'published' ? null : inbound.agentVersion,
    fallback: fallback.type,
    fallbackText: fallback.type === 'message' ? fallback.text : '',
    fallbackTo: fallback.type === 'number' ? fallback.to : '',
    countries: inbound.allowedCountries,
    blocked: inbound.blockedNumbers,
    requestUrl: inbound.requestUrl ?? '',
  };
}

function changesOf(fields: Fields, country: string) {
  const e164 = (typed: string) => readNumber(typed, country)?.number ?? typed;
  const fallbacks: Readonly<Record<Fallback['type'], Fallback | null>> = {
    reject: null,
    message: { type: 'message', text: fields.fallbackText.trim() },
    number: { type: 'number', to: e164(fields.fallbackTo) },
  };
  return {
    enabled: fields.enabled,
    agentId: fields.agentId,
    agentVersion: fields.version === null || fields.version === '' ? ('published' as const) : fields.version,
    fallback: fallbacks[fields.fallback],
    allowedCountries: [...fields.countries],
    blockedNumbers: [...new Set(fields.blocked.map(e164))],
    requestUrl: fields.requestUrl === '' ? null : fields.requestUrl,
  };
}

interface IssueTexts {
  readonly versionMissing: string;
  readonly fallbackTextMissing: string;
  readonly numberMissing: string;
  blockedWrong(number: string): string;
}

function issuesOf(fields: Fields, country: string, texts: IssueTexts): Issues {
  if (!fields.enabled) return {};
  const isNumber = (typed: string) => readNumber(typed, country) !== null;
  const wrong = fields.blocked.find((typed) => !isNumber(typed));
  const isTextMissing = fields.fallback === 'message' && fields.fallbackText.trim() === '';
  const isNumberMissing = fields.fallback === 'number' && !isNumber(fields.fallbackTo);
  return {
    ...(fields.agentId !== null && fields.version === '' && { version: texts.versionMissing }),
    ...(isTextMissing && { fallback: texts.fallbackTextMissing }),
    ...(isNumberMissing && { fallback: texts.numberMissing }),
    ...(wrong !== undefined && { blocked: texts.blockedWrong(wrong) }),
  };
}
