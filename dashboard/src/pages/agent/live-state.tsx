import type { Agent } from '../../../../sdk/src/index.ts';
import { Dot } from '../../parts/dot.tsx';
import { useLiveVersion } from './live-version.ts';
import { useAgentTexts } from './texts.ts';

/** Which version calls use, and whether there is a newer draft. */
export function LiveState({ agent }: { readonly agent: Agent }) {
  const texts = useAgentTexts();
  const live = useLiveVersion(agent);
  const draft = agent.isPublished ? null : texts.draftVersion(agent.version);
  if (live === undefined) return <Dot tone="quiet">{draft}</Dot>;
  const state = live === null ? [draft, texts.neverLive] : [texts.liveVersion(live), draft];
  return <Dot tone={draft === null ? 'good' : 'warn'}>{state.filter((part) => part !== null).join(' · ')}</Dot>;
}
