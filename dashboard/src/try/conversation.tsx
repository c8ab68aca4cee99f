import { Button, Text } from '@mantine/core';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { ApiError, UnprocessableError } from '../../../sdk/src/index.ts';
import { callTexts, endReasonTexts } from '../calls/call-texts.ts';
import { Bubble, TurnLine } from '../calls/turn-line.tsx';
import { RotateIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { useAgentTexts } from '../pages/agent/texts.ts';
import { describeError } from '../parts/error-state.tsx';
import { findingsOf } from '../parts/field-errors.ts';
import { type Chat, type Exchange, isBusy } from './chat.ts';
import { tryTexts } from './texts.ts';
import classes from './try.module.css';

interface ConversationProps {
  readonly chat: Chat;
  readonly onRetry: () => void;
}

export function Conversation({ chat, onRetry }: ConversationProps) {
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
      {chat.failure !== null && <Failure error={chat.failure} hasStarted={chat.call !== null} onRetry={onRetry} />}
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

interface FailureProps {
  readonly error: Error;
  readonly hasStarted: boolean;
  readonly onRetry: () => void;
}

export function Failure({ error, hasStarted, onRetry }: FailureProps) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(tryTexts);
  const { saidByService } = useAgentTexts();
  const { title, issues } = explain(error, hasStarted, texts, describeError(error, shared).title);
  return (
    <div className={classes.failure} role="alert">
      <Text size="sm">{title}</Text>
      {issues.length > 0 && (
        <ul className={classes.issues}>
          {issues.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== '' && <code>{path}</code>} {saidByService(message)}
            </li>
          ))}
        </ul>
      )}
      <Button size="compact-sm" variant="default" leftSection={<RotateIcon size={14} />} onClick={onRetry}>
        {texts.retry}
      </Button>
    </div>
  );
}

interface Explained {
  readonly title: string;
  /** By the path of the setting; "" if there is none. */
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}

function explain(
  error: Error,
  hasStarted: boolean,
  texts: { failedReply: string; failedStart: string; failedVersion: string; failedFull: string; failedBusy: string },
  otherwise: string,
): Explained {
  if (error instanceof UnprocessableError) {
    const ofFields = findingsOf(error.fieldErrors).map(({ field, path, message }) => ({
      path: path === '' ? field : `${field}.${path}`,
      message,
    }));
    const others = error.formErrors.map((message) => ({ path: '', message }));
    return { title: texts.failedVersion, issues: [...ofFields, ...others] };
  }
  if (error instanceof ApiError) {
    if (error.code === 'CONCURRENCY_LIMIT_REACHED') return { title: texts.failedFull, issues: [] };
    if (error.code === 'UPSTREAM_ERROR') return { title: texts.failedReply, issues: [] };
    if (error.status === 409) return { title: texts.failedBusy, issues: [] };
  }
  return { title: hasStarted ? otherwise : `${texts.failedStart} ${otherwise}`, issues: [] };
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
