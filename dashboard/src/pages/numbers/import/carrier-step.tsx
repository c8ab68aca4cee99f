import { Alert, Radio, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, type Carrier } from '../../../../../sdk/src/index.ts';
import { useTexts } from '../../../language/language.tsx';
import { BusyButton } from '../../../parts/busy-button.tsx';
import { Failure } from '../../../parts/dialog.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { RowSkeletons } from '../../../parts/row-skeletons.tsx';
import { useSingleMutation } from '../../../parts/single-mutation.ts';
import { hasOnlyIssuesOf } from '../../../phone/service-issues.ts';
import { phoneTexts } from '../../../phone/texts.ts';
import { useCarriers } from '../../../phone/use-phone.ts';
import { useClient } from '../../../session/use-session.ts';
import { AccountInputs } from '../account-inputs.tsx';
import {
  type CarrierFields,
  changesOf,
  creationOf,
  fieldsOf,
  issuesOf,
  type Provider,
  pathsOfFields,
} from '../carrier-fields.ts';
import { foundIssues } from '../carrier-form.tsx';
import { carrierTexts } from '../carrier-texts.ts';
import { Checks } from '../checks.tsx';
import classes from '../numbers.module.css';
import { importTexts } from '../texts.ts';
import { StepButtons, StepForm } from './step-buttons.tsx';

interface CarrierStepProps {
  /** The one that was chosen before. */
  readonly carrier: Carrier | null;
  readonly onCancel: () => void;
  readonly onDone: (carrier: Carrier) => void;
}

export function CarrierStep(props: CarrierStepProps) {
  const { data, error, refetch } = useCarriers();
  if (data !== undefined) return <Choice carriers={data} {...props} />;
  return error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={refetch} />;
}

/** An existing carrier by its id, or a new one by its provider. */
function Choice({ carriers, carrier, onCancel, onDone }: CarrierStepProps & { readonly carriers: readonly Carrier[] }) {
  const texts = useTexts(importTexts);
  const shared = useTexts(phoneTexts);
  const [choice, setChoice] = useState<string>(carrier?.id ?? carriers[0]?.id ?? 'test');
  // Connected in this dialog, with a check that failed.
  const [failed, setFailed] = useState<Carrier | null>(null);
  const [fields, setFields] = useState<CarrierFields>(() => fieldsOf(null, 'test', shared.test));
  const [hasTried, setHasTried] = useState(false);
  const connection = useConnection((checked) => {
    if (checked.checks.some(({ status }) => status === 'failed')) setFailed(checked);
    else onDone(checked);
  });
  const existing = carriers.find(({ id }) => id === choice);
  const carrierForm = useTexts(carrierTexts);
  const issues = issuesOf(fields, failed, carrierForm);
  const isFull = connection.error instanceof ApiError && connection.error.code === 'LIMIT_REACHED';
  const submit = () => {
    if (failed === null && existing !== undefined) return onDone(existing);
    setHasTried(true);
    if (Object.keys(issues).length === 0) connection.mutate(fields);
  };
  const choose = (next: string) => {
    setChoice(next);
    connection.reset();
    if (next === 'test' || next === 'twilio') setFields(fieldsOf(null, next, shared[next]));
  };
  return (
    <StepForm onSubmit={submit}>
      {failed === null && <Choices carriers={carriers} choice={choice} onChoose={choose} />}
      {existing === undefined && fields.provider === 'twilio' && (
        <NewAccount
          carrier={failed}
          fields={fields}
          shown={{ ...foundIssues(connection.error), ...(hasTried ? issues : {}) }}
          onChange={(part) => setFields((now) => ({ ...now, ...part }))}
        />
      )}
      {connection.error !== null && !hasOnlyIssuesOf(connection.error, Object.values(pathsOfFields)) && (
        <Failure error={connection.error} explanation={isFull ? carrierForm.limit : undefined} />
      )}
      {failed !== null && (
        <>
          <Alert color="orange" role="status">
            {texts.checkFailed}
          </Alert>
          <Checks checks={failed.checks} />
        </>
      )}
      <StepButtons
        next={failed === null ? texts.next : texts.checkAgain}
        isBusy={connection.isPending}
        onBack={null}
        onCancel={onCancel}
      >
        {failed !== null && (
          <BusyButton variant="default" onClick={() => onDone(failed)}>
            {texts.continueAnyway}
          </BusyButton>
        )}
      </StepButtons>
    </StepForm>
  );
}

interface ChoicesProps {
  readonly carriers: readonly Carrier[];
  readonly choice: string;
  readonly onChoose: (choice: string) => void;
}

function Choices({ carriers, choice, onChoose }: ChoicesProps) {
  const texts = useTexts(importTexts);
  const known = carriers.map(({ id, name, provider, settings }) => ({
    value: id,
    label: name,
    hint: provider === 'test' ? texts.existingTest : texts.existingTwilio(settings.accountSid ?? ''),
  }));
  const added: readonly { value: Provider; label: string; hint: string }[] = [
    { value: 'test', label: texts.test, hint: texts.testHint },
    { value: 'twilio', label: texts.twilio, hint: texts.twilioHint },
  ];
  // One test carrier is enough.
  const hasTest = carriers.some(({ provider }) => provider === 'test');
  const choices = [...known, ...added.filter(({ value }) => value !== 'test' || !hasTest)];
  return (
    <Radio.Group label={texts.carrier} value={choice} onChange={onChoose}>
      <div className={classes.choices}>
        {choices.map(({ value, label, hint }) => (
          <div key={value} className={classes.choice}>
            <Radio value={value} label={label} description={hint} />
          </div>
        ))}
      </div>
    </Radio.Group>
  );
}

function NewAccount(props: Parameters<typeof AccountInputs>[0]) {
  const texts = useTexts(carrierTexts);
  const { fields, shown, onChange } = props;
  return (
    <>
      <TextInput
        label={texts.name}
        value={fields.name}
        error={shown.name}
        maxLength={255}
        onChange={({ currentTarget: { value } }) => onChange({ name: value })}
      />
      <AccountInputs {...props} />
    </>
  );
}

/** Connects the carrier, or changes the one that this dialog has connected before, and checks it. */
function useConnection(onChecked: (carrier: Carrier) => void) {
  const { carriers } = useClient();
  const queryClient = useQueryClient();
  const connected = useRef<Carrier | null>(null);
  return useSingleMutation({
    mutationFn: async (fields: CarrierFields) => {
      const before = connected.current?.provider === fields.provider ? connected.current : null;
      connected.current =
        before === null
          ? await carriers.create(creationOf(fields))
          : await carriers.update(before.id, changesOf(fields, before));
      return await carriers.verify(connected.current.id);
    },
    onSuccess: (checked) => {
      queryClient.invalidateQueries({ queryKey: ['phone', 'carriers'] });
      onChecked(checked);
    },
  });
}
