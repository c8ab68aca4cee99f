import { Badge } from '@mantine/core';
import type { Agent } from '../../../../sdk/src/index.ts';
import { useAgentTexts } from './texts.ts';

export function StateBadge({ agent }: { readonly agent: Pick<Agent, 'version' | 'isPublished'> }) {
  const texts = useAgentTexts();
  const state = agent.isPublished ? texts.published : texts.draft;
  return (
    <Badge
      variant="outline"
      tt="none"
      fw={600}
      style={{
        flex: 'none',
        '--badge-color': agent.isPublished ? 'var(--app-good)' : 'var(--app-warn)',
        '--badge-bd': '1px solid currentColor',
      }}
    >
      {texts.version(agent.version)} · {state}
    </Badge>
  );
}
