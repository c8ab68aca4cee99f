import { AgentLoader } from './agent-loader.tsx';
import { Editor } from './editor.tsx';

export function EditAgent({ id }: { readonly id: string }) {
  return <AgentLoader id={id}>{(stored) => <Editor stored={stored} />}</AgentLoader>;
}
