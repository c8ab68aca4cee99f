import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { WorkflowRun } from '../../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../../language/language.tsx';
import { JsonBlock } from '../../../parts/json-block.tsx';
import link from '../../../parts/link.module.css';
import row from '../../../parts/row.module.css';
import timeline from '../../../parts/timeline.module.css';
import { useClient } from '../../../session/use-session.ts';
import type { Step } from '../../../workflows/definition.ts';
import { RequestView } from '../../../workflows/request-view.tsx';
import { lengthText } from '../../../workflows/runs/length-text.ts';
import { RunStatusDot, runTones, useReasonText } from '../../../workflows/runs/run-status.tsx';
import { runNames } from '../../../workflows/runs/texts.ts';
import { useWorkflowTexts } from '../../../workflows/texts.ts';
import { stepText, typeText, wayText } from '../../../workflows/words.ts';
import { Attempts } from '../../webhooks/attempts.tsx';
import classes from './run-page.module.css';
import { runPageTexts } from './texts.ts';

type RunStep = WorkflowRun['steps'][number];

/** Everything that a run has done, and what it will do, from top to bottom. */
export function RunSteps({ run }: { readonly run: WorkflowRun }) {
  const definition = useDefinition(run);
  return (
    <ol className={timeline.timeline}>
      {run.steps.map((step) => (
        <li key={step.id} data-tone={runTones[step.status]} data-status={step.status}>
          <Item run={run} step={step} defined={definition?.find(({ id }) => id === step.id)} />
        </li>
      ))}
    </ol>
  );
}

/** The steps of the version that the run started with. */
function useDefinition({ workflowId, workflowVersion }: WorkflowRun): readonly Step[] | undefined {
  const { workflows } = useClient();
  const { data } = useQuery({
    queryKey: ['workflows', 'version', workflowId, workflowVersion],
    queryFn: async ({ signal }) => {
      for await (const version of workflows.versions.list(workflowId, { limit: 100 }, { signal })) {
        if (version.version === workflowVersion) return version.steps as unknown as Step[];
      }
      return [];
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return data;
}

interface ItemProps {
  readonly run: WorkflowRun;
  readonly step: RunStep;
  /** Undefined until it is known, and if the workflow was deleted. */
  readonly defined: Step | undefined;
}

function Item({ run, step, defined }: ItemProps) {
  const { format } = useLanguage();
  const texts = useTexts(runPageTexts);
  const words = useWorkflowTexts();
  const { id, type, status, startedAt, completedAt, error } = step;
  return (
    <>
      <div className={timeline.head}>
        <h3 className={classes.title}>
          {typeText(type, words)} <code>{id}</code>
        </h3>
        <RunStatusDot status={status} />
        {startedAt !== null && (
          <span className={row.quiet} title={startedAt}>
            {format.dateTime(startedAt)}
          </span>
        )}
        {startedAt !== null && completedAt !== null && (
          <span className={row.quiet}>
            {texts.tookTime(lengthText(Date.parse(completedAt) - Date.parse(startedAt), format))}
          </span>
        )}
      </div>
      {defined !== undefined && step.request === null && <p className={row.quiet}>{stepText(defined, words)}</p>}
      {error !== null && <Failure error={error} />}
      <Effect step={step} defined={defined} />
      {step.request !== null && <RequestView request={step.request} />}
      {type === 'http_request' && (step.attempts.length > 0 || step.nextAttemptAt !== null) && (
        <AttemptsOf run={run} step={step} />
      )}
    </>
  );
}

function Failure({ error }: { readonly error: NonNullable<RunStep['error']> }) {
  const reasonText = useReasonText();
  const { code, message } = error;
  const known = reasonText(code);
  return (
    <p className={classes.error}>
      <code>{code}</code> {known === code ? '' : `${known} · `}
      {message}
    </p>
  );
}

/** What the step has come to: by type in words, otherwise what it returned. */
function Effect({ step, defined }: Pick<ItemProps, 'step' | 'defined'>) {
  const { format } = useLanguage();
  const texts = useTexts(runPageTexts);
  const words = useWorkflowTexts();
  const { type, status, nextAttemptAt, output } = step;
  if (type === 'wait') {
    if (status === 'waiting' && nextAttemptAt !== null) {
      return (
        <p className={classes.text}>{texts.waitsUntil(format.dateTime(nextAttemptAt), format.until(nextAttemptAt))}</p>
      );
    }
    const resumedAt = output?.resumedAt;
    return typeof resumedAt === 'string' ? (
      <p className={classes.text}>{texts.waitedUntil(format.dateTime(resumedAt))}</p>
    ) : null;
  }
  if (type === 'condition' && output !== null && defined !== undefined) {
    const { matched } = output;
    const path = typeof matched === 'number' ? `routes.${matched}.next` : 'otherwise';
    return <p className={classes.text}>{texts.tookRoute(wayText(defined, path, words))}</p>;
  }
  if (type === 'create_call' && typeof output?.callId === 'string') {
    return (
      <p className={classes.text}>
        {texts.newCall}:{' '}
        <Link href={`/calls/${output.callId}`} className={link.inText as string}>
          {output.callId}
        </Link>
      </p>
    );
  }
  if (type !== 'http_request' || output === null || output.body === undefined || output.body === null) return null;
  return (
    <details className={classes.output}>
      <summary>{texts.output}</summary>
      <JsonBlock value={output} label={texts.output} />
    </details>
  );
}

function AttemptsOf({ run, step }: Pick<ItemProps, 'run' | 'step'>) {
  const { format } = useLanguage();
  const texts = useTexts(runPageTexts);
  const { succeeded } = useTexts(runNames);
  const lost = step.attemptCount - step.attempts.length - (step.status === 'running' ? 1 : 0);
  return (
    <section aria-label={`${texts.attempts}: ${step.id}`} className={classes.attempts}>
      <Attempts
        of={step}
        since={step.startedAt ?? run.createdAt}
        succeeded={succeeded}
        {...(step.request !== null && { method: step.request.method })}
      />
      {lost > 0 && <p className={row.quiet}>{texts.lost(format.number(lost))}</p>}
    </section>
  );
}
