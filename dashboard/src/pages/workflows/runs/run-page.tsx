import { Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { NotFoundError, type WorkflowRun } from '../../../../../sdk/src/index.ts';
import { useTexts } from '../../../language/language.tsx';
import { Ago } from '../../../parts/ago.tsx';
import { BackLink } from '../../../parts/back-link.tsx';
import { Card } from '../../../parts/card.tsx';
import { Facts, Id } from '../../../parts/facts.tsx';
import link from '../../../parts/link.module.css';
import { PageHeader } from '../../../parts/page-header.tsx';
import { PendingPage } from '../../../parts/resource-state.tsx';
import { ScopeGuard } from '../../../parts/scope-guard.tsx';
import { RunStatusDot, useReasonText } from '../../../workflows/runs/run-status.tsx';
import { runTexts } from '../../../workflows/runs/texts.ts';
import { useRun, useWorkflowList } from '../../../workflows/runs/use-runs.ts';
import { RunActions } from './run-actions.tsx';
import classes from './run-page.module.css';
import { RunSteps } from './run-steps.tsx';
import { runPageTexts } from './texts.ts';

export function RunPage({ id }: { readonly id: string }) {
  return (
    <ScopeGuard scope="workflows:read">
      <Loader id={id} />
    </ScopeGuard>
  );
}

function Loader({ id }: { readonly id: string }) {
  const texts = useTexts(runPageTexts);
  const { data, error, refetch } = useRun(id);
  if (data === undefined || error instanceof NotFoundError) {
    const list = { href: '/workflows?view=runs', name: texts.toRuns };
    return <PendingPage error={error} onRetry={refetch} list={list} texts={texts} />;
  }
  return <Loaded run={data} />;
}

function Loaded({ run }: { readonly run: WorkflowRun }) {
  const texts = useTexts(runPageTexts);
  const names = useTexts(runTexts);
  const reasonText = useReasonText();
  const { data: workflows } = useWorkflowList();
  const workflow = workflows?.find(({ id }) => id === run.workflowId);
  const name = workflow?.name ?? (workflows === undefined ? run.workflowId : names.deletedWorkflow);
  return (
    <>
      <PageHeader
        title={texts.title(name)}
        above={<BackLink href={`/workflows?view=runs&workflowId=${run.workflowId}`}>{texts.toRuns}</BackLink>}
        description={
          <>
            <RunStatusDot status={run.status} />
            {run.reason !== null && <span className={classes.reason}> {reasonText(run.reason)}</span>}
          </>
        }
        actions={<RunActions run={run} hasWorkflow={workflow !== undefined} />}
      />
      <Stack gap="md">
        <Card title={texts.timeline}>
          <RunSteps run={run} />
        </Card>
        <About run={run} name={name} hasWorkflow={workflow !== undefined} />
      </Stack>
    </>
  );
}

interface AboutProps {
  readonly run: WorkflowRun;
  readonly name: string;
  readonly hasWorkflow: boolean;
}

function About({ run, name, hasWorkflow }: AboutProps) {
  const texts = useTexts(runPageTexts);
  const { id, workflowId, workflowVersion, callId, trigger, depth, createdAt, completedAt } = run;
  return (
    <Card title={texts.id}>
      <Facts
        facts={[
          [
            texts.workflow,
            hasWorkflow ? (
              <Link key="workflow" href={`/workflows/${workflowId}`} className={link.inText as string}>
                {name}
              </Link>
            ) : (
              name
            ),
          ],
          [texts.version, String(workflowVersion)],
          [
            texts.call,
            <Link key="call" href={`/calls/${callId}?view=workflows`} className={link.inText as string}>
              {callId}
            </Link>,
          ],
          [texts.trigger, trigger === 'event' ? texts.byEvent : texts.byHand],
          [texts.created, <Ago key="created" at={createdAt} />],
          [texts.ended, completedAt === null ? '—' : <Ago key="ended" at={completedAt} />],
          ...(depth > 1
            ? [
                [
                  texts.depth,
                  <Text key="depth" size="sm" component="span" title={texts.depthHint}>
                    {depth}
                  </Text>,
                ] as const,
              ]
            : []),
          [texts.id, <Id key="id">{id}</Id>],
        ]}
      />
    </Card>
  );
}
