import { Alert, Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApiError, ConcurrencyLimitError, type PhoneNumber, UnprocessableError } from '../../../sdk/src/index.ts';
import { CallIcon, NumberIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { fieldAt } from '../pages/agent/checks.ts';
import { ActionDialog } from '../parts/dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ErrorState } from '../parts/error-state.tsx';
import { useIsCovering } from '../parts/narrow.ts';
import { GuardedButton, ScopeGuard } from '../parts/scope-guard.tsx';
import { useSingleMutation } from '../parts/single-mutation.ts';
import { countryName, formatNumber, isTestNumber, type ReadNumber, readNumber } from '../phone/number-format.ts';
import { serviceIssues } from '../phone/service-issues.ts';
import { phoneTexts } from '../phone/texts.ts';
import { usePhoneNumbers } from '../phone/use-phone.ts';
import { useClient } from '../session/use-session.ts';
import { callPhoneTexts } from './phone-texts.ts';
import { RefusedVersion } from './refused-version.tsx';
import classes from './try.module.css';
import { type CallOptions, type TriedAgent, useTrial } from './try-context.ts';
import type { TriedVersion } from './use-chat.ts';

interface PhoneViewProps {
  readonly agent: TriedAgent;
  readonly version: TriedVersion;
  readonly options: CallOptions;
}

/** Lets the agent call a phone. The call itself is followed on its page. */
export function PhoneView(props: PhoneViewProps) {
  return (
    <ScopeGuard scope="phone-numbers:read">
      <NumberCall {...props} />
    </ScopeGuard>
  );
}

function NumberCall(props: PhoneViewProps) {
  const texts = useTexts(callPhoneTexts);
  const { data, error, refetch } = usePhoneNumbers();
  if (data === undefined) return error === null ? null : <ErrorState error={error} onRetry={refetch} />;
  const numbers = data.filter(
    ({ outbound: { enabled, agentIds } }) => enabled && (agentIds.length === 0 || agentIds.includes(props.agent.id)),
  );
  if (numbers.length > 0) return <Form {...props} numbers={numbers} />;
  const next = (
    <Button component={Link} href="/numbers" variant="default">
      {texts.toNumbers}
    </Button>
  );
  return (
    <EmptyState icon={<NumberIcon />} title={texts.noneTitle} actions={next}>
      {texts.none}
    </EmptyState>
  );
}

function Form({ agent, version, options, numbers }: PhoneViewProps & { readonly numbers: readonly PhoneNumber[] }) {
  const texts = useTexts(callPhoneTexts);
  const shared = useTexts(phoneTexts);
  const [fromId, setFromId] = useState(numbers[0]?.id ?? '');
  const from = numbers.find(({ id }) => id === fromId) ?? (numbers[0] as PhoneNumber);
  const isTest = isTestNumber(from.number);
  const [typed, setTyped] = useState('');
  const [hasTried, setHasTried] = useState(false);
  const [asked, setAsked] = useState<ReadNumber | null>(null);
  const [issue, setIssue] = useState<string | undefined>(undefined);
  const read = readNumber(typed, from.country);
  const isWrong = read === null || (isTest && !isTestNumber(read.number));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setHasTried(true);
    if (!isWrong) setAsked(read);
  };
  const wrong = isTest ? texts.toTestWrong : shared.numberMissing;
  return (
    <form className={classes.phone} onSubmit={submit} noValidate autoComplete="off">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {texts.hint}
        </Text>
        <NativeSelect
          label={texts.from}
          description={texts.fromHint}
          value={from.id}
          data={numbers.map(({ id, number, name }) => ({
            value: id,
            label: name === number ? formatNumber(number) : `${formatNumber(number)} (${name})`,
          }))}
          onChange={({ currentTarget: { value } }) => setFromId(value)}
        />
        <TextInput
          label={texts.to}
          description={isTest ? texts.toTestHint : texts.toHint}
          placeholder={isTest ? '+99900000001' : shared.numberPlaceholder}
          type="tel"
          value={typed}
          error={hasTried && isWrong ? wrong : issue}
          maxLength={40}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            setIssue(undefined);
          }}
        />
        {read !== null && <Dialed number={read} />}
        <GuardedButton scope="calls:write" type="submit" leftSection={<CallIcon size={16} />}>
          {texts.call}
        </GuardedButton>
        <Text size="xs" c="dimmed">
          {shared.responsible}
        </Text>
      </Stack>
      {asked !== null && (
        <Confirmation
          agent={agent}
          version={version}
          options={options}
          from={from}
          to={asked}
          onClose={() => setAsked(null)}
          onIssue={(message) => {
            setIssue(message);
            setAsked(null);
          }}
        />
      )}
    </form>
  );
}

function Dialed({ number: { number, country } }: { readonly number: ReadNumber }) {
  const { language } = useLanguage();
  const texts = useTexts(callPhoneTexts);
  const { testNumber } = useTexts(phoneTexts);
  return (
    <p className={classes.dialed} role="status">
      <span>{texts.dialed}</span> <strong>{formatNumber(number)}</strong>{' '}
      <span>({countryName(country, language) ?? testNumber})</span>
    </p>
  );
}

interface ConfirmationProps extends PhoneViewProps {
  readonly from: PhoneNumber;
  readonly to: ReadNumber;
  readonly onClose: () => void;
  /** The service found the number to be wrong. */
  readonly onIssue: (message: string) => void;
}

function Confirmation({ agent, version, options, from, to, onClose, onIssue }: ConfirmationProps) {
  const { language } = useLanguage();
  const texts = useTexts(callPhoneTexts);
  const { testNumber } = useTexts(phoneTexts);
  const { calls } = useClient();
  const { close } = useTrial();
  const isCovering = useIsCovering();
  const [, navigate] = useLocation();
  const calling = useSingleMutation({
    mutationFn: async () =>
      await calls.create({
        type: 'phone',
        agentId: agent.id,
        agentVersion: version,
        ...(agent.startSkillId !== undefined && { startSkillId: agent.startSkillId }),
        ...options,
        fromPhoneNumberId: from.id,
        to: to.number,
      }),
    onSuccess: ({ id }) => {
      onClose();
      // Otherwise the call would be opened behind the panel.
      if (isCovering) close();
      navigate(`/calls/${id}`);
    },
    onError: (error) => {
      const message = serviceIssues(error).to;
      if (message !== undefined) onIssue(message);
    },
  });
  const isTest = isTestNumber(to.number);
  return (
    <ActionDialog
      title={texts.confirmTitle}
      confirm={texts.confirm}
      action={calling}
      explanation={explanationOf(calling.error, texts)}
      {...(isAboutAgent(calling.error) && {
        failure: (
          <Alert color="red" role="alert" title={texts.rejected}>
            <RefusedVersion agentId={agent.id} version={version} error={calling.error} onLeave={onClose} />
          </Alert>
        ),
      })}
      onConfirm={calling.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.confirmText(agent.name, formatNumber(from.number))}</Text>
      <p className={classes.asked}>
        <strong>{formatNumber(to.number)}</strong>
        <span>{countryName(to.country, language) ?? testNumber}</span>
      </p>
      <Alert color={isTest ? 'gray' : 'orange'}>{isTest ? texts.testPhone : texts.cost}</Alert>
    </ActionDialog>
  );
}

/** The call is refused for what is in the agent. */
function isAboutAgent(error: Error | null): error is UnprocessableError {
  return error instanceof UnprocessableError && Object.keys(error.fieldErrors).some((field) => fieldAt(field));
}

function explanationOf(error: Error | null, texts: { readonly full: string; readonly rejected: string }) {
  if (error instanceof ConcurrencyLimitError) return texts.full;
  const issues = Object.values(serviceIssues(error));
  if (issues.length > 0) return `${texts.rejected} ${issues.join(' ')}`;
  return error instanceof ApiError && error.status < 500 ? error.message : undefined;
}
