import { Alert, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Carrier } from '../../../../sdk/src/index.ts';
import { PlusIcon, ProviderIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { Card } from '../../parts/card.tsx';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { Dot, type Tone } from '../../parts/dot.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { describeError } from '../../parts/error-state.tsx';
import { Facts, Id } from '../../parts/facts.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNotice } from '../../parts/notice.ts';
import { ListCard } from '../../parts/resource-state.tsx';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { countryName } from '../../phone/number-format.ts';
import { phoneTexts } from '../../phone/texts.ts';
import { useCarriers } from '../../phone/use-phone.ts';
import { useClient } from '../../session/use-session.ts';
import { CarrierForm } from './carrier-form.tsx';
import { carrierTexts } from './carrier-texts.ts';
import { Checks } from './checks.tsx';
import classes from './numbers.module.css';

const tones: Readonly<Record<Carrier['status'], Tone>> = { unverified: 'warn', active: 'good', failing: 'bad' };

type OpenDialog = { readonly dialog: 'create' } | { readonly dialog: 'edit' | 'delete'; readonly carrier: Carrier };

export function Carriers() {
  const texts = useTexts(carrierTexts);
  const { carriers } = useClient();
  const list = useCarriers();
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
  const empty = (
    <EmptyState icon={<ProviderIcon />} title={texts.emptyTitle} actions={connect}>
      {texts.emptyNext}
    </EmptyState>
  );
  return (
    <Stack gap="md">
      {list.data === undefined || list.data.length === 0 ? (
        <ListCard list={list} empty={empty}>
          {() => null}
        </ListCard>
      ) : (
        <>
          <div className={classes.buttons}>{connect}</div>
          {list.data.map((carrier) => (
            <CarrierCard key={carrier.id} carrier={carrier} onOpen={setOpen} />
          ))}
        </>
      )}
      {open?.dialog === 'create' && <CarrierForm carrier={null} onClose={close} onSaved={close} />}
      {open?.dialog === 'edit' && <CarrierForm carrier={open.carrier} onClose={close} onSaved={close} />}
      {open?.dialog === 'delete' && (
        <DeleteDialog
          title={texts.deleteTitle(open.carrier.name)}
          confirm={texts.deleteDo}
          text={texts.deleteText}
          inUse={texts.deleteInUse}
          done={texts.deleteDone}
          queryKey={['phone', 'carriers']}
          onDelete={() => carriers.delete(open.carrier.id)}
          onClose={close}
        />
      )}
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
    [texts.accountSid, <Id key="sid">{settings.accountSid ?? null}</Id>],
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
