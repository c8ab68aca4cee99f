import { Alert, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Carrier, ConflictError } from '../../../../sdk/src/index.ts';
import { PlusIcon, ProviderIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { Card } from '../../parts/card.tsx';
import { deleteExisting } from '../../parts/delete-existing.ts';
import { ActionDialog } from '../../parts/dialog.tsx';
import { Dot, type Tone } from '../../parts/dot.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { describeError, ErrorState } from '../../parts/error-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNotice } from '../../parts/notice.ts';
import { RowSkeletons } from '../../parts/row-skeletons.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { countryName } from '../../phone/number-format.ts';
import { phoneTexts } from '../../phone/texts.ts';
import { useCarriers } from '../../phone/use-phone.ts';
import { useClient } from '../../session/use-session.ts';
import callClasses from '../call/call.module.css';
import { CarrierForm } from './carrier-form.tsx';
import { carrierTexts } from './carrier-texts.ts';
import { Checks } from './checks.tsx';
import { Facts } from './facts.tsx';
import classes from './numbers.module.css';

const tones: Readonly<Record<Carrier['status'], Tone>> = { unverified: 'warn', active: 'good', failing: 'bad' };

type OpenDialog = { readonly dialog: 'create' } | { readonly dialog: 'edit' | 'delete'; readonly carrier: Carrier };

export function Carriers() {
  const texts = useTexts(carrierTexts);
  const { data, error, refetch } = useCarriers();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const close = () => setOpen(null);
  useFocusReturn(open !== null);
  const connect = (
    <GuardedButton
      scope="phone-numbers:write"
      variant="default"
      leftSection={<PlusIcon size={16} />}
      onClick={() => setOpen({ dialog: 'create' })}
    >
      {texts.connect}
    </GuardedButton>
  );
  return (
    <Stack gap="md">
      {data === undefined ? (
        <Card isFlush>{error === null ? <RowSkeletons /> : <ErrorState error={error} onRetry={refetch} />}</Card>
      ) : data.length === 0 ? (
        <Card isFlush>
          <EmptyState icon={<ProviderIcon />} title={texts.emptyTitle} actions={connect}>
            {texts.emptyNext}
          </EmptyState>
        </Card>
      ) : (
        <>
          <div className={classes.buttons}>{connect}</div>
          {data.map((carrier) => (
            <CarrierCard key={carrier.id} carrier={carrier} onOpen={setOpen} />
          ))}
        </>
      )}
      {open?.dialog === 'create' && <CarrierForm carrier={null} onClose={close} onSaved={close} />}
      {open?.dialog === 'edit' && <CarrierForm carrier={open.carrier} onClose={close} onSaved={close} />}
      {open?.dialog === 'delete' && <DeleteCarrier carrier={open.carrier} onClose={close} />}
    </Stack>
  );
}

interface CarrierCardProps {
  readonly carrier: Carrier;
  readonly onOpen: (open: OpenDialog) => void;
}

function CarrierCard({ carrier, onOpen }: CarrierCardProps) {
  const texts = useTexts(carrierTexts);
  const shared = useTexts(phoneTexts);
  const verification = useVerification(carrier);
  const button = { scope: 'phone-numbers:write', variant: 'default', size: 'compact-sm' } as const;
  const of = <span className="visually-hidden"> ({carrier.name})</span>;
  const actions = (
    <span className={classes.buttons}>
      <GuardedButton {...button} loading={verification.isPending} onClick={verification.mutate}>
        {shared.verify}
        {of}
      </GuardedButton>
      <GuardedButton {...button} onClick={() => onOpen({ dialog: 'edit', carrier })}>
        {shared.edit}
        {of}
      </GuardedButton>
      <GuardedButton {...button} onClick={() => onOpen({ dialog: 'delete', carrier })}>
        {shared.delete}
        {of}
      </GuardedButton>
    </span>
  );
  return (
    <Card title={carrier.name} actions={actions}>
      <Stack gap="md">
        {carrier.status === 'failing' && <Alert color="red">{texts.failingText}</Alert>}
        <div className={classes.columns}>
          <CarrierFacts carrier={carrier} />
          <Checks checks={carrier.checks} />
        </div>
      </Stack>
    </Card>
  );
}

function CarrierFacts({ carrier }: { readonly carrier: Carrier }) {
  const { format, language } = useLanguage();
  const texts = useTexts(carrierTexts);
  const shared = useTexts(phoneTexts);
  const { provider, status, settings, credentials, limits, verifiedAt } = carrier;
  const isSet = (given: boolean | undefined) => (given ? texts.credentialsSet : texts.credentialsNotSet);
  const countries = limits.allowedCountries?.map((code) => countryName(code, language)).join(', ');
  const account = [
    [
      texts.accountSid,
      <span key="sid" className={callClasses.id}>
        {settings.accountSid}
      </span>,
    ],
    [texts.authToken, isSet(credentials.authToken?.set)],
    [texts.apiKey, isSet(credentials.apiKeySid?.set)],
  ] as const;
  return (
    <Facts
      facts={[
        [texts.provider, shared[provider]],
        ...(provider === 'twilio' ? account : []),
        [
          texts.status,
          <Dot key="status" tone={tones[status]}>
            {texts[status]}
          </Dot>,
        ],
        [texts.verifiedAt, verifiedAt === null ? texts.never : <Ago key="at" at={verifiedAt} />],
        [texts.countries, countries || texts.countriesDefault],
        [texts.minutes, format.number(limits.maxMinutesPerDay)],
        [texts.perSecond, format.number(limits.maxCallsPerSecond)],
        [texts.concurrent, limits.maxConcurrent === null ? texts.unlimited : format.number(limits.maxConcurrent)],
      ]}
    />
  );
}

function useVerification(carrier: Carrier) {
  const { texts: general } = useLanguage();
  const texts = useTexts(carrierTexts);
  const notice = useNotice();
  const { carriers } = useClient();
  const queryClient = useQueryClient();
  return useSingleMutation({
    mutationFn: async () => await carriers.verify(carrier.id),
    onSuccess: ({ status }) => {
      queryClient.invalidateQueries({ queryKey: ['phone', 'carriers'] });
      notice(status === 'active' ? texts.verified : texts.verifyFailed, status === 'active' ? 'good' : 'bad');
    },
    onError: (error) => notice(describeError(error, general).title, 'bad'),
  });
}

function DeleteCarrier({ carrier, onClose }: { readonly carrier: Carrier; readonly onClose: () => void }) {
  const texts = useTexts(carrierTexts);
  const notice = useNotice();
  const { carriers } = useClient();
  const queryClient = useQueryClient();
  const deletion = useSingleMutation({
    mutationFn: () => deleteExisting(carriers.delete(carrier.id)),
    onSuccess: () => {
      notice(texts.deleteDone, 'plain');
      queryClient.invalidateQueries({ queryKey: ['phone', 'carriers'] });
      onClose();
    },
  });
  const isInUse = deletion.error instanceof ConflictError && deletion.error.code === 'RESOURCE_IN_USE';
  return (
    <ActionDialog
      title={texts.deleteTitle(carrier.name)}
      confirm={texts.deleteDo}
      isDangerous
      action={deletion}
      explanation={isInUse ? texts.deleteInUse : undefined}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Text size="sm">{texts.deleteText}</Text>
    </ActionDialog>
  );
}
