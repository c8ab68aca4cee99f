import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { NotFoundError, type PhoneNumber } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { BackLink } from '../../parts/back-link.tsx';
import { Card } from '../../parts/card.tsx';
import { Facts, Id } from '../../parts/facts.tsx';
import header from '../../parts/page-header.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { PendingPage } from '../../parts/resource-state.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { countryName, formatNumber } from '../../phone/number-format.ts';
import { phoneTexts } from '../../phone/texts.ts';
import { isChecking, usePhoneNumber } from '../../phone/use-phone.ts';
import { useScope } from '../../session/use-session.ts';
import { finishedQuery, openQuery, readFilters } from '../calls/call-filters.ts';
import { useFinishedCalls, useOpenCalls } from '../calls/call-list.ts';
import { CallTable } from '../calls/call-table.tsx';
import { Checks } from './checks.tsx';
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
  if (data === undefined || error instanceof NotFoundError) {
    const list = { href: '/numbers', name: texts.toNumbers };
    return <PendingPage error={error} onRetry={refetch} list={list} texts={texts} />;
  }
  return <Loaded number={data} />;
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
        above={<BackLink href="/numbers">{texts.toNumbers}</BackLink>}
        description={
          <span className={header.facts}>
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
  return (
    <Card title={texts.about}>
      <Facts
        facts={[
          [texts.carrier, <CarrierName key="carrier" id={carrierId} />],
          [texts.country, countryName(country, language) ?? testNumber],
          [texts.id, <Id key="id">{id}</Id>],
          [texts.providerId, <Id key="provider">{providerNumberId}</Id>],
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
