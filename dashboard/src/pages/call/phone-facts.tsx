import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import type { Call } from '../../../../sdk/src/index.ts';
import { useTexts } from '../../language/language.tsx';
import link from '../../parts/link.module.css';
import { usePhoneNumber } from '../../phone/use-phone.ts';
import { useScope } from '../../session/use-session.ts';
import classes from './call.module.css';
import type { CallEvents } from './call-events.ts';
import { phoneSummary, transferText } from './phone-summary.ts';
import { callPageTexts } from './texts.ts';

interface PhoneFactsProps {
  readonly call: Call;
  readonly events: CallEvents;
}

/** What only a phone call has: its numbers, who answered, keys and transfers. */
export function PhoneFacts({ call, events: list }: PhoneFactsProps) {
  const texts = useTexts(callPageTexts);
  useAllEvents(list);
  const { answeredBy, received, sent, transfers } = phoneSummary(list.events);
  const none = call.dataStorageSetting === 'basic_attributes_only' ? texts.notStored : texts.withheld;
  return (
    <dl className={classes.facts}>
      <Fact label={texts.from}>{call.from ?? none}</Fact>
      <Fact label={texts.to}>{call.to ?? texts.notStored}</Fact>
      <NumberLink id={call.phoneNumberId} />
      {answeredBy !== null && (
        <Fact label={texts.answeredBy}>
          {texts[answeredBy.by]}
          <span className={classes.quiet}>{answeredBy.source === 'audio' ? texts.heard : texts.reported}</span>
        </Fact>
      )}
      {received.length > 0 && <Fact label={texts.keysReceived}>{keysText(received, texts.keysHidden)}</Fact>}
      {sent.length > 0 && <Fact label={texts.keysSent}>{keysText(sent, texts.keysHidden)}</Fact>}
      {transfers.length > 0 && (
        <Fact label={texts.transfers}>
          <ul className={classes.transfers}>
            {transfers.map((transfer, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: transfers are only added.
              <li key={place}>{transferText(transfer, texts)}</li>
            ))}
          </ul>
        </Fact>
      )}
    </dl>
  );
}

function NumberLink({ id }: { readonly id: string | null }) {
  const { isAllowed } = useScope('phone-numbers:read');
  return id !== null && isAllowed ? <AllowedNumberLink id={id} /> : null;
}

function AllowedNumberLink({ id }: { readonly id: string }) {
  const texts = useTexts(callPageTexts);
  const { data, error } = usePhoneNumber(id);
  // A number that has been deleted has no page.
  if (error !== null) return null;
  return (
    <Fact label={texts.number}>
      <Link href={`/numbers/${id}`} className={link.link as string}>
        {data?.name ?? id}
      </Link>
    </Fact>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Keys and transfers may be in any event: those of a call that is over are read a page at a time. */
function useAllEvents({ hasMore, isLoading, isPending, error, loadMore }: CallEvents): void {
  const isDue = hasMore && !isLoading && !isPending && error === null;
  useEffect(() => {
    if (isDue) loadMore();
  }, [isDue, loadMore]);
}

function keysText(keys: readonly (string | null)[], hidden: string): string {
  return keys.map((digits) => digits ?? hidden).join(', ');
}
