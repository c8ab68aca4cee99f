import type { Agent } from '../../../../sdk/src/index.ts';
import { Dot } from '../../parts/dot.tsx';
import { useAgentTexts } from './texts.ts';

export function StateBadge({ agent }: { readonly agent: Pick<Agent, 'version' | 'isPublished'> }) {
  const texts = useAgentTexts();
  const state = agent.isPublished ? texts.published : texts.draft;
  return (
    <Dot tone={agent.isPublished ? 'good' : 'warn'}>
      {texts.version(agent.version)} · {state}
    </Dot>
  );
}
