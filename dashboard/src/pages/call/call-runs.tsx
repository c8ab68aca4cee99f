import { Text } from '@mantine/core';
import { useTexts } from '../../language/language.tsx';
import { ScopeGuard } from '../../parts/scope-guard.tsx';
import { RunList } from '../../workflows/runs/run-list.tsx';
import { runTexts } from '../../workflows/runs/texts.ts';

/** The runs of workflows about a call. */
export function CallRuns({ callId }: { readonly callId: string }) {
  const texts = useTexts(runTexts);
  const empty = (
    <Text c="dimmed" ta="center" py="xl">
      {texts.noRunsOfCall}
    </Text>
  );
  return (
    <ScopeGuard scope="workflows:read">
      <RunList filters={{ workflowId: '', callId, status: [] }} of="call" empty={empty} />
    </ScopeGuard>
  );
}
