import { Table } from '@mantine/core';
import { Link } from 'wouter';
import type { WorkflowRun } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Ago } from '../../parts/ago.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import row from '../../parts/row.module.css';
import { lengthText } from './length-text.ts';
import { RunStatusDot, useReasonText } from './run-status.tsx';
import classes from './runs.module.css';
import { isOpenRun } from './statuses.ts';
import { runTexts } from './texts.ts';
import { useWorkflowList } from './use-runs.ts';

interface RunTableProps {
  readonly runs: readonly WorkflowRun[];
  /** Whether they are all about one call, or of one workflow. */
  readonly of?: 'call' | 'workflow';
}

export function RunTable({ runs, of }: RunTableProps) {
  const texts = useTexts(runTexts);
  const { data: workflows = [] } = useWorkflowList();
  const names = new Map(workflows.map(({ id, name }) => [id, name]));
  return (
    <DataTable
      label={texts.runs}
      columns={[
        of === 'workflow' ? texts.run : texts.workflow,
        texts.status,
        ...(of === 'call' ? [] : [texts.call]),
        texts.steps,
        texts.duration,
        texts.created,
      ]}
      verticalSpacing="xs"
      cardsBelow="narrow"
      hasLongTitles
    >
      {runs.map((run) => (
        <Row key={run.id} run={run} name={names.get(run.workflowId) ?? texts.deletedWorkflow} of={of} />
      ))}
    </DataTable>
  );
}

interface RowProps {
  readonly run: WorkflowRun;
  readonly name: string;
  readonly of: 'call' | 'workflow' | undefined;
}

function Row({ run, name, of }: RowProps) {
  const { format } = useLanguage();
  const texts = useTexts(runTexts);
  const reasonText = useReasonText();
  const { id, status, reason, trigger, callId, steps, createdAt, completedAt } = run;
  const next = steps.find((step) => step.status === 'waiting')?.nextAttemptAt ?? null;
  const done = steps.filter((step) => step.status === 'succeeded' || step.status === 'failed').length;
  return (
    <Table.Tr>
      <Table.Td>
        <Link
          href={`/workflows/runs/${id}`}
          className={(of === 'workflow' ? classes.id : row.link) as string}
          data-opens-row
        >
          {of === 'workflow' ? id : name}
        </Link>
        {trigger === 'manual' && <span className={row.quiet}>{texts.manual}</span>}
      </Table.Td>
      <Table.Td data-title={texts.status}>
        <RunStatusDot status={status} />
        {reason !== null && <span className={row.quiet}>{reasonText(reason)}</span>}
        {next !== null && isOpenRun(run) && <span className={row.quiet}>{texts.next(format.until(next))}</span>}
      </Table.Td>
      {of !== 'call' && (
        <Table.Td data-title={texts.call}>
          <span className={classes.id}>{callId}</span>
        </Table.Td>
      )}
      <Table.Td data-title={texts.steps}>{texts.progress(format.number(done), format.number(steps.length))}</Table.Td>
      <Table.Td data-title={texts.duration}>
        {completedAt === null ? '—' : lengthText(Date.parse(completedAt) - Date.parse(createdAt), format)}
      </Table.Td>
      <Table.Td data-title={texts.created}>
        <Ago at={createdAt} />
      </Table.Td>
    </Table.Tr>
  );
}
