import { Text } from '@mantine/core';
import type { WebhookDelivery, WorkflowRun } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import row from '../../parts/row.module.css';
import { Scrollable } from '../../parts/scrollable.tsx';
import timeline from '../../parts/timeline.module.css';
import { webhookNames, webhookTexts } from './webhook-texts.ts';
import classes from './webhooks.module.css';

type Attempt = WebhookDelivery['attempts'][number] | WorkflowRun['steps'][number]['attempts'][number];

interface AttemptsProps {
  /** What the attempts belong to: a delivery, or a step of a workflow. */
  readonly of: { readonly attempts: readonly Attempt[]; readonly nextAttemptAt: string | null };
  /** When what they are about came up. */
  readonly since: string;
  readonly method?: string;
  /** What is said of a success. */
  readonly succeeded?: string;
}

/** The attempts as a timeline, and the next one. */
export function Attempts({ of: { attempts, nextAttemptAt }, since, method = 'POST', succeeded }: AttemptsProps) {
  const { format } = useLanguage();
  const texts = useTexts(webhookTexts);
  if (attempts.length === 0 && nextAttemptAt === null) {
    return (
      <Text size="sm" c="dimmed">
        {texts.noAttempts}
      </Text>
    );
  }
  return (
    <ol className={timeline.timeline}>
      {attempts.map((attempt, index) => (
        <Item
          key={attempt.number}
          attempt={attempt}
          before={attempts[index - 1]?.startedAt ?? since}
          method={method}
          succeeded={succeeded}
          isFirst={index === 0}
        />
      ))}
      {nextAttemptAt !== null && (
        <li data-tone="warn">
          <div className={timeline.head}>
            <strong>{texts.nextAttempt}</strong>
            <span title={format.dateTime(nextAttemptAt)}>{format.until(nextAttemptAt)}</span>
          </div>
        </li>
      )}
    </ol>
  );
}

interface ItemProps {
  readonly attempt: Attempt;
  /** The time of what came before it. */
  readonly before: string;
  readonly isFirst: boolean;
  readonly method: string;
  readonly succeeded: string | undefined;
}

function Item({ attempt, before, isFirst, method, succeeded }: ItemProps) {
  const { format } = useLanguage();
  const texts = useTexts(webhookTexts);
  const names = useTexts(webhookNames);
  const { number, outcome, statusCode, startedAt, durationMs, url, responseBody, errorMessage } = attempt;
  const gapMs = Math.max(0, Date.parse(startedAt) - Date.parse(before));
  const result = outcome === 'succeeded' ? (succeeded ?? names.succeeded) : (errorMessage ?? names[outcome]);
  return (
    <li data-tone={outcome === 'succeeded' ? 'good' : 'bad'}>
      <div className={timeline.head}>
        <strong>{texts.attempt(format.number(number))}</strong>
        <span title={format.dateTime(startedAt)}>
          {isFirst ? format.dateTime(startedAt) : texts.later(format.milliseconds(gapMs))}
        </span>
        <span>{texts.took(format.milliseconds(durationMs))}</span>
      </div>
      <Text size="sm" mt={2}>
        {statusCode === null ? names[outcome] : `${statusCode}: ${result}`}
      </Text>
      {url !== null && (
        <p className={classes.address}>
          {method} {url}
        </p>
      )}
      {responseBody === null ? (
        <span className={row.quiet}>{texts.noBody}</span>
      ) : (
        <Scrollable label={texts.responseBody} className={classes.body}>
          {responseBody}
        </Scrollable>
      )}
    </li>
  );
}
