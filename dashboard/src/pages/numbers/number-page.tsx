import { Anchor, Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { NotFoundError, type PhoneNumber } from '../../../../sdk/src/index.ts';
import { ChevronRightIcon, SearchIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageSkeleton } from '../../parts/page-skeleton.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { State } from '../../parts/state.tsx';
import { countryName, formatNumber } from '../../phone/number-format.ts';
import { phoneTexts } from '../../phone/texts.ts';
import { isChecking, usePhoneNumber } from '../../phone/use-phone.ts';
import { useScope } from '../../session/use-session.ts';
import callClasses from '../call/call.module.css';
import { finishedQuery, openQuery, readFilters } from '../calls/call-filters.ts';
import { useFinishedCalls, useOpenCalls } from '../calls/call-list.ts';
import { CallTable } from '../calls/call-table.tsx';
import { Checks } from './checks.tsx';
import { Facts } from './facts.tsx';
import { NumberActions } from './number-actions.tsx';
import { NumberStatusDot } from './number-status.tsx';
import { CarrierName } from './number-table.tsx';
import classes from './numbers.module.css';
import { InboundCard, OutboundCard } from './routing/routing-cards.tsx';
import { numbersTexts } from './texts.ts';

export function NumberPage({ id }: { readonly id: string }) {
  return (
    <ScopeGuard scope="phone-numbers:read">
      <Loader id={id} />
    </ScopeGuard>
  );
}

function Loader({ id }: { readonly id: string }) {
  const texts = useTexts(numbersTexts);
  const { data, error, refetch } = usePhoneNumber(id);
  if (error instanceof NotFoundError) {
    const back = (
      <Button component={Link} href="/numbers" variant="default">
        {texts.toNumbers}
      </Button>
    );
    return (
      <>
        <PageHeader title={texts.notThere} above={<Back />} />
        <State icon={<SearchIcon />} actions={back}>
          {texts.notThereNext}
        </State>
      </>
    );
  }
  if (data === undefined) return error === null ? <PageSkeleton /> : <ErrorState error={error} onRetry={refetch} />;
  return <Loaded number={data} />;
}

function Back() {
  const texts = useTexts(numbersTexts);
  return (
    <Link href="/numbers" className={callClasses.back as string}>
      <ChevronRightIcon size={14} />
      {texts.toNumbers}
    </Link>
  );
}

function Loaded({ number: phoneNumber }: { readonly number: PhoneNumber }) {
  const texts = useTexts(numbersTexts);
  const { responsible } = useTexts(phoneTexts);
  const { number, name, status, checks } = phoneNumber;
  const mayReadCalls = useScope('calls:read').isAllowed;
  return (
    <>
      <PageHeader
        title={formatNumber(number)}
        above={<Back />}
        description={
          <span className={callClasses.about}>
            <NumberStatusDot status={status} />
            {name !== number && <span>{name}</span>}
          </span>
        }
        actions={<NumberActions number={phoneNumber} />}
      />
      <div className={classes.columns}>
        <div className={classes.side}>
          <InboundCard number={phoneNumber} />
          <OutboundCard number={phoneNumber} />
        </div>
        <div className={classes.side}>
          <Card title={texts.checks}>
            <Checks checks={checks} isChecking={isChecking(phoneNumber)} />
          </Card>
          <About number={phoneNumber} />
        </div>
      </div>
      {mayReadCalls && (
        <Stack mt="md">
          <LatestCalls phoneNumberId={phoneNumber.id} />
        </Stack>
      )}
      <p className={classes.note}>{responsible}</p>
    </>
  );
}

function About({ number: phoneNumber }: { readonly number: PhoneNumber }) {
  const { language } = useLanguage();
  const texts = useTexts(numbersTexts);
  const { testNumber } = useTexts(phoneTexts);
  const { id, carrierId, country, providerNumberId } = phoneNumber;
  const code = (text: string | null): ReactNode => <span className={callClasses.id}>{text ?? '—'}</span>;
  return (
    <Card title={texts.about}>
      <Facts
        facts={[
          [texts.carrier, <CarrierName key="carrier" id={carrierId} />],
          [texts.country, countryName(country, language) ?? testNumber],
          [texts.id, code(id)],
          [texts.providerId, code(providerNumberId)],
        ]}
      />
    </Card>
  );
}

const shownCalls = 5;

function LatestCalls({ phoneNumberId }: { readonly phoneNumberId: string }) {
  const texts = useTexts(numbersTexts);
  const filters = readFilters(new URLSearchParams({ phoneNumberId }));
  const open = useOpenCalls(openQuery(filters));
  const finished = useFinishedCalls(finishedQuery(filters));
  const calls = [...open.items, ...finished.items].slice(0, shownCalls);
  const all = (
    <Anchor component={Link} href={`/calls?phoneNumberId=${phoneNumberId}`} size="sm">
      {texts.allCalls}
    </Anchor>
  );
  return (
    <Card title={texts.calls} actions={calls.length > 0 && all} isFlush>
      {calls.length > 0 ? (
        <CallTable label={texts.calls} calls={calls} />
      ) : (
        <Text size="sm" c="dimmed" p="lg" ta="center">
          {texts.callsNone}
        </Text>
      )}
    </Card>
  );
}
