import { Table } from '@mantine/core';
import { Link } from 'wouter';
import type { Workflow, WorkflowRun } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useAgentNames } from '../../parts/agent-name.ts';
import { Ago } from '../../parts/ago.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import row from '../../parts/row.module.css';
import { healthOf } from '../../workflows/health.ts';
import { runTones } from '../../workflows/runs/run-status.tsx';
import { runNames } from '../../workflows/runs/texts.ts';
import { useRuns } from '../../workflows/runs/use-runs.ts';
import { useWorkflowTexts } from '../../workflows/texts.ts';
import { triggerText } from '../../workflows/words.ts';
import { HealthDot } from './health-dot.tsx';
import { workflowsTexts } from './texts.ts';
import classes from './workflows.module.css';

const shownRuns = 10;

interface WorkflowTableProps {
  readonly workflows: readonly Workflow[];
  /** The newest of all workflows. */
  readonly runs: readonly WorkflowRun[];
}

export function WorkflowTable({ workflows, runs }: WorkflowTableProps) {
  const texts = useTexts(workflowsTexts);
  return (
    <DataTable
      label={texts.page}
      columns={[texts.name, texts.state, texts.trigger, texts.lastRuns, texts.changed]}
      cardsBelow="narrow"
      hasLongTitles
    >
      {workflows.map((workflow) => (
        <Row key={workflow.id} workflow={workflow} runs={runs} />
      ))}
    </DataTable>
  );
}

function Row({ workflow, runs }: { readonly workflow: Workflow; readonly runs: readonly WorkflowRun[] }) {
  const texts = useTexts(workflowsTexts);
  const words = useWorkflowTexts();
  const { id, name, description, trigger, updatedAt } = workflow;
  const agents = useAgentNames(trigger.agentIds).map((agent, index) => agent ?? trigger.agentIds[index] ?? '');
  const own = runs.filter(({ workflowId }) => workflowId === id);
  return (
    <Table.Tr>
      <Table.Td>
        <Link href={`/workflows/${id}`} className={row.link as string} data-opens-row>
          {name}
        </Link>
        {description !== null && <span className={row.quiet}>{description}</span>}
      </Table.Td>
      <Table.Td data-title={texts.state}>
        <HealthDot health={healthOf(workflow, runs)} />
      </Table.Td>
      <Table.Td data-title={texts.trigger}>{triggerText({ ...trigger }, agents, words)}</Table.Td>
      <Table.Td data-title={texts.lastRuns}>
        {own.length > 0 ? <RunBars runs={own} /> : <OlderRuns workflowId={id} />}
      </Table.Td>
      <Table.Td data-title={texts.changed}>
        <Ago at={updatedAt} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Those of a workflow that has none among the newest of all. */
function OlderRuns({ workflowId }: { readonly workflowId: string }) {
  const texts = useTexts(workflowsTexts);
  const { items } = useRuns({ workflowId, callId: '', status: [] });
  return items.length === 0 ? <span className={row.quiet}>{texts.noRuns}</span> : <RunBars runs={items} />;
}

/** One bar for each run, the newest last. */
function RunBars({ runs }: { readonly runs: readonly WorkflowRun[] }) {
  const { format } = useLanguage();
  const names = useTexts(runNames);
  const shown = runs.slice(0, shownRuns).toReversed();
  const counts = new Map<string, number>();
  for (const { status } of shown) counts.set(status, (counts.get(status) ?? 0) + 1);
  const label = [...counts]
    .map(([status, count]) => `${names[status as keyof typeof names]} ${format.number(count)}`)
    .join(', ');
  return (
    <span className={classes.bars} role="img" aria-label={label} title={label}>
      {shown.map(({ id, status }) => (
        <span key={id} data-tone={runTones[status]} />
      ))}
    </span>
  );
}
