import { Fieldset, NativeSelect, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, type Carrier } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import { ActionDialog } from '../../parts/dialog.tsx';
import { useNotice } from '../../parts/notice.ts';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { CountryInput } from '../../phone/country-input.tsx';
import { hasOnlyIssuesOf, issueIn, serviceIssues } from '../../phone/service-issues.ts';
import { phoneTexts } from '../../phone/texts.ts';
import { useClient } from '../../session/use-session.ts';
import { AccountInputs, type CarrierInputsProps } from './account-inputs.tsx';
import {
  type CarrierFields,
  type CarrierIssues,
  changesOf,
  creationOf,
  fieldsOf,
  issuesOf,
  type Provider,
  pathsOfFields,
} from './carrier-fields.ts';
import { carrierTexts } from './carrier-texts.ts';

interface CarrierFormProps {
  /** Null for a new one. */
  readonly carrier: Carrier | null;
  readonly onClose: () => void;
  readonly onSaved: (carrier: Carrier) => void;
}

export function CarrierForm({ carrier, onClose, onSaved }: CarrierFormProps) {
  const texts = useTexts(carrierTexts);
  const shared = useTexts(phoneTexts);
  const [fields, setFields] = useState<CarrierFields>(() => fieldsOf(carrier, 'twilio', shared.twilio));
  const [hasTried, setHasTried] = useState(false);
  const saving = useSavedCarrier(carrier, onSaved);
  const issues = issuesOf(fields, carrier, texts);
  const shown = { ...foundIssues(saving.error), ...(hasTried ? issues : {}) };
  const change = (part: Partial<CarrierFields>) => setFields((now) => ({ ...now, ...part }));
  const isFull = saving.error instanceof ApiError && saving.error.code === 'LIMIT_REACHED';
  const submit = () => {
    setHasTried(true);
    if (Object.keys(issues).length === 0) saving.mutate(fields);
  };
  const inputs = { carrier, fields, shown, onChange: change };
  return (
    <ActionDialog
      size="lg"
      title={carrier === null ? texts.connectTitle : texts.editTitle(carrier.name)}
      confirm={shared.save}
      isForm
      action={saving}
      explanation={isFull ? texts.limit : undefined}
      failure={hasOnlyIssuesOf(saving.error, Object.values(pathsOfFields)) ? null : undefined}
      onConfirm={submit}
      onClose={onClose}
    >
      {carrier === null && (
        <NativeSelect
          label={texts.provider}
          value={fields.provider}
          data={[
            { value: 'twilio', label: shared.twilio },
            { value: 'test', label: shared.test },
          ]}
          onChange={({ currentTarget: { value } }) =>
            change({ provider: value as Provider, name: value === 'test' ? shared.test : shared.twilio })
          }
        />
      )}
      <TextInput
        label={texts.name}
        value={fields.name}
        error={shown.name}
        maxLength={255}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
        data-autofocus
      />
      {fields.provider === 'twilio' && <AccountInputs {...inputs} />}
      <LimitInputs {...inputs} />
    </ActionDialog>
  );
}

function LimitInputs({ fields, shown, onChange }: CarrierInputsProps) {
  const texts = useTexts(carrierTexts);
  const number = (value: number | string) => (typeof value === 'number' ? value : '');
  return (
    <Fieldset legend={texts.limits}>
      <Stack gap="sm">
        <CountryInput
          label={texts.countries}
          description={texts.countriesHint}
          placeholder={texts.countriesDefault}
          countries={fields.countries}
          error={shown.countries}
          onChange={(countries) => onChange({ countries })}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }} style={{ alignItems: 'end' }}>
          <NumberInput
            label={texts.minutes}
            description={texts.minutesHint}
            value={fields.minutes}
            error={shown.minutes}
            allowDecimal={false}
            allowNegative={false}
            onChange={(value) => onChange({ minutes: number(value) })}
          />
          <NumberInput
            label={texts.perSecond}
            description={texts.perSecondHint}
            value={fields.perSecond}
            error={shown.perSecond}
            step={0.1}
            allowNegative={false}
            onChange={(value) => onChange({ perSecond: number(value) })}
          />
          <NumberInput
            label={texts.concurrent}
            description={texts.concurrentHint}
            placeholder={texts.unlimited}
            value={fields.concurrent}
            error={shown.concurrent}
            allowDecimal={false}
            allowNegative={false}
            onChange={(value) => onChange({ concurrent: number(value) })}
          />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}

function useSavedCarrier(carrier: Carrier | null, onSaved: (carrier: Carrier) => void) {
  const texts = useTexts(carrierTexts);
  const notice = useNotice();
  const { carriers } = useClient();
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async (fields: CarrierFields) => {
      if (carrier === null) return await carriers.create(creationOf(fields));
      return await carriers.update(carrier.id, changesOf(fields, carrier));
    },
    onSuccess: (saved) => {
      queryClient.invalidateQueries({ queryKey: ['phone', 'carriers'] });
      notice(texts.saved);
      onSaved(saved);
    },
  });
}

/** What the service found wrong, by field. */
export function foundIssues(error: Error | null): CarrierIssues {
  const found = serviceIssues(error);
  const entries = Object.entries(pathsOfFields).map(([name, path]) => [name, issueIn(found, path)]);
  return Object.fromEntries(entries.filter(([, issue]) => issue !== undefined));
}
