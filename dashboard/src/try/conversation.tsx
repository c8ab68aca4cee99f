import { Button, Loader, Text } from '@mantine/core';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { ApiError, UnprocessableError } from '../../../sdk/src/index.ts';
import { callTexts, endReasonTexts } from '../calls/call-texts.ts';
import { Bubble, TurnLine } from '../calls/turn-line.tsx';
import { RotateIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { lazyPart } from '../lazy-page.ts';
import { describeError } from '../parts/error-state.tsx';
import { LazyPart } from '../parts/lazy-part.tsx';
import { type Chat, type Exchange, isBusy } from './chat.ts';
import { tryTexts } from './texts.ts';
import classes from './try.module.css';
import type { TriedAgent } from './try-context.ts';
import type { TriedVersion } from './use-chat.ts';

const RefusedVersion = lazyPart(async () => (await import('./refused-version.tsx')).RefusedVersion);

interface Tried {
  readonly agent: TriedAgent;
  readonly version: TriedVersion;
}

interface ConversationProps extends Tried {
  readonly chat: Chat;
  readonly onRetry: () => void;
}

export function Conversation({ agent, version, chat, onRetry }: ConversationProps) {
  const texts = useTexts(tryTexts);
  const log = useStickyEnd(chat);
  const isWaiting = isBusy(chat);
  const isSilent = chat.call !== null && chat.end === null && chat.entries.length === 0 && chat.exchange === null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need to scroll it.
    <div ref={log} className={classes.log} role="log" aria-label={texts.transcript} aria-busy={isWaiting} tabIndex={0}>
      {chat.entries.map((entry) =>
        entry.kind === 'turn' ? (
          <TurnLine key={entry.turn.index} turn={entry.turn} />
        ) : (
          <Bubble key={entry.key} speaker="caller">
            {entry.text}
          </Bubble>
        ),
      )}
      {chat.exchange !== null && <Pending exchange={chat.exchange} />}
      {isWaiting && <Typing label={chat.call === null ? texts.starting : texts.replying} />}
      {isSilent && (
        <Text size="sm" c="dimmed" ta="center" py="lg">
          {texts.yourTurn}
        </Text>
      )}
      {chat.failure !== null && (
        <Failure
          agent={agent}
          version={version}
          error={chat.failure}
          hasStarted={chat.call !== null}
          onRetry={onRetry}
        />
      )}
      {chat.end !== null && <Closing end={chat.end} />}
    </div>
  );
}

/** What has been sent and what has arrived so far. */
function Pending({ exchange }: { readonly exchange: Exchange }) {
  const { toolRunning } = useTexts(callTexts);
  return (
    <>
      {exchange.text !== null && <Bubble speaker="caller">{exchange.text}</Bubble>}
      {exchange.parts.map((part, place) =>
        part.kind === 'text' ? (
          <Bubble key={part.turn} speaker="agent">
            {part.text}
          </Bubble>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end.
          <span key={`tool ${place}`} className={classes.quiet}>
            {toolRunning(part.name)}
          </span>
        ),
      )}
    </>
  );
}

function Typing({ label }: { readonly label: string }) {
  return (
    <div className={classes.typing}>
      <span className="visually-hidden">{label}</span>
      <i />
      <i />
      <i />
    </div>
  );
}

interface FailureProps extends Tried {
  readonly error: Error;
  readonly hasStarted: boolean;
  readonly onRetry: () => void;
}

export function Failure({ agent, version, error, hasStarted, onRetry }: FailureProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(tryTexts);
  return (
    <div className={classes.failure} role="alert">
      <Text size="sm">{explain(error, hasStarted, texts, describeError(error, shared).title)}</Text>
      {error instanceof UnprocessableError && (
        <LazyPart fallback={<Loader size="xs" />}>
          <RefusedVersion agentId={agent.id} version={version} error={error} />
        </LazyPart>
      )}
      <Button size="compact-sm" variant="default" leftSection={<RotateIcon size={14} />} onClick={onRetry}>
        {texts.retry}
      </Button>
    </div>
  );
}

function explain(
  error: Error,
  hasStarted: boolean,
  texts: { failedReply: string; failedStart: string; failedVersion: string; failedFull: string; failedBusy: string },
  otherwise: string,
): string {
  if (error instanceof UnprocessableError) return texts.failedVersion;
  if (error instanceof ApiError) {
    if (error.code === 'CONCURRENCY_LIMIT_REACHED') return texts.failedFull;
    if (error.code === 'UPSTREAM_ERROR') return texts.failedReply;
    if (error.status === 409) return texts.failedBusy;
  }
  return hasStarted ? otherwise : `${texts.failedStart} ${otherwise}`;
}

function Closing({ end }: { readonly end: NonNullable<Chat['end']> }) {
  const texts = useTexts(tryTexts);
  const reasons = useTexts(endReasonTexts);
  const { reason } = end;
  const text =
    reason === 'agent_hangup'
      ? texts.hungUp
      : reason === 'api_end' || reason === 'canceled'
        ? texts.endedHere
        : reason === null
          ? texts.endedPlain
          : texts.endedBecause(reasons[reason]);
  return <div className={classes.closing}>{text}</div>;
}

/** Shows the newest line, unless the user has scrolled up to read. */
export function useStickyEnd(shown: unknown) {
  const log = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = log.current;
    if (element === null) return;
    const onScroll = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 48;
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the conversation changes.
  useLayoutEffect(() => {
    if (isAtEnd.current && log.current !== null) log.current.scrollTop = log.current.scrollHeight;
  }, [shown]);
  return log;
}
