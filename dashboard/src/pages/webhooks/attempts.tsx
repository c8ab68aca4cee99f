import { Text } from '@mantine/core';
import type { WebhookDelivery } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { webhookNames, webhookTexts } from './webhook-texts.ts';
import classes from './webhooks.module.css';

/** The attempts as a timeline, and the next one. */
export function Attempts({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { format } = useLanguage();
  const texts = useTexts(webhookTexts);
  const { attempts, nextAttemptAt, createdAt } = delivery;
  if (attempts.length === 0 && nextAttemptAt === null) {
    return (
      <Text size="sm" c="dimmed">
        {texts.noAttempts}
      </Text>
    );
  }
  return (
    <ol className={classes.timeline}>
      {attempts.map((attempt, index) => (
        <Item
          key={attempt.number}
          attempt={attempt}
          before={attempts[index - 1]?.startedAt ?? createdAt}
          isFirst={index === 0}
        />
      ))}
      {nextAttemptAt !== null && (
        <li data-tone="warn">
          <div className={classes.attemptHead}>
            <strong>{texts.nextAttempt}</strong>
            <span title={format.dateTime(nextAttemptAt)}>{format.until(nextAttemptAt)}</span>
          </div>
        </li>
      )}
    </ol>
  );
}

interface ItemProps {
  readonly attempt: WebhookDelivery['attempts'][number];
  /** The time of what came before it. */
  readonly before: string;
  readonly isFirst: boolean;
}

function Item({ attempt, before, isFirst }: ItemProps) {
  const { format } = useLanguage();
  const texts = useTexts(webhookTexts);
  const names = useTexts(webhookNames);
  const { number, outcome, statusCode, startedAt, durationMs, url, responseBody, errorMessage } = attempt;
  const gapMs = Math.max(0, Date.parse(startedAt) - Date.parse(before));
  const result = outcome === 'succeeded' ? names.succeeded : (errorMessage ?? names[outcome]);
  return (
    <li data-tone={outcome === 'succeeded' ? 'good' : 'bad'}>
      <div className={classes.attemptHead}>
        <strong>{texts.attempt(format.number(number))}</strong>
        <span title={format.dateTime(startedAt)}>
          {isFirst ? format.dateTime(startedAt) : texts.later(format.milliseconds(gapMs))}
        </span>
        <span>{texts.took(format.milliseconds(durationMs))}</span>
      </div>
      <Text size="sm" mt={2}>
        {statusCode === null ? names[outcome] : `${statusCode}: ${result}`}
      </Text>
      <p className={classes.address}>POST {url}</p>
      {responseBody === null ? (
        <span className={classes.quiet}>{texts.noBody}</span>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need to scroll it.
        <section tabIndex={0} aria-label={texts.responseBody} className={classes.body}>
          {responseBody}
        </section>
      )}
    </li>
  );
}
