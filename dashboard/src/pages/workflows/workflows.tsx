import { PlusIcon, WorkflowIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ListCard } from '../../parts/resource-state.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { ViewTabs } from '../../parts/view-tabs.tsx';
import { useRecentRuns, useWorkflowList } from '../../workflows/runs/use-runs.ts';
import { FilteredRuns } from './runs/filtered-runs.tsx';
import { TemplateLinks } from './template-links.tsx';
import { workflowsTexts } from './texts.ts';
import { WorkflowTable } from './workflow-table.tsx';

export function Workflows() {
  const texts = useTexts(workflowsTexts);
  const actions = (
    <GuardedButton scope="workflows:write" leftSection={<PlusIcon size={16} />} href="/workflows/new">
      {texts.create}
    </GuardedButton>
  );
  return (
    <>
      <PageHeader description={texts.about} actions={actions} />
      <ScopeGuard scope="workflows:read">
        <ViewTabs
          label={texts.views}
          views={{
            workflows: { title: texts.page, content: () => <List /> },
            runs: { title: texts.runs, content: () => <FilteredRuns /> },
          }}
        />
      </ScopeGuard>
    </>
  );
}

function List() {
  const texts = useTexts(workflowsTexts);
  const { data: runs = [] } = useRecentRuns();
  const empty = (
    <>
      <EmptyState icon={<WorkflowIcon />} title={texts.emptyTitle}>
        {texts.emptyNext}
      </EmptyState>
      <TemplateLinks />
    </>
  );
  return (
    <ListCard list={useWorkflowList()} empty={empty}>
      {(workflows) => <WorkflowTable workflows={workflows} runs={runs} />}
    </ListCard>
  );
}
