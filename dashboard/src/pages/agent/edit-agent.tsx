import { NotFound } from '../../parts/not-found.tsx';
import { AgentLoader } from './agent-loader.tsx';
import { Editor } from './editor.tsx';
import { tabNamed } from './tabs.ts';

interface EditAgentProps {
  readonly id: string;
  /** As in the address of the page. */
  readonly tab: string | undefined;
}

export function EditAgent({ id, tab: name }: EditAgentProps) {
  const tab = tabNamed(name);
  if (tab === undefined) return <NotFound />;
  return <AgentLoader id={id}>{(stored) => <Editor stored={stored} tab={tab} />}</AgentLoader>;
}
