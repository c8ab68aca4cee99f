import { fieldAt, type Issues } from './checks.ts';
import { engineOf } from './engines.ts';
import { type FieldTab, groupsOf, tabOf } from './fields.ts';
import type { AgentTexts } from './texts.ts';
import type { Draft } from './use-draft.ts';

const tabNames = ['prompt', 'voice', 'analysis', 'webhook', 'calls', 'versions', 'code'] as const;
/** The editor of the flow is a page of its own, which shares what is not saved with the tabs. */
export type TabName = (typeof tabNames)[number] | 'flow';

export interface Tab {
  readonly name: (typeof tabNames)[number];
  readonly label: string;
  readonly issues: number;
  readonly changes: number;
}

export function hrefOf(agentId: string, tab: TabName): string {
  return tab === 'prompt' ? `/agents/${agentId}` : `/agents/${agentId}/${tab}`;
}

/** The tab in the address of the page. Undefined if there is no such tab. */
export function tabNamed(name: string | undefined): TabName | undefined {
  if (name === undefined || name === 'flow') return name ?? 'prompt';
  return tabNames.find((known) => known !== 'prompt' && known === name);
}

/** What shows a path of the agent. */
export function placeAt(path: string): FieldTab | 'flow' {
  return /^agentSettings\.flow\.skills\.\d/.test(path) ? 'flow' : tabAt(path);
}

/** The tab of a field. */
function tabAt(path: string): FieldTab {
  // The switch for recording is next to what is stored.
  if (/^agentSettings\.calls(\.|$)/.test(path)) return 'analysis';
  const field = fieldAt(path);
  return field === undefined ? 'prompt' : tabOf(field);
}

export function tabsOf(draft: Draft, issues: Issues, texts: AgentTexts): readonly Tab[] {
  const first = { single_prompt: texts.tabPrompt, conversation_flow: texts.tabFlow, custom_llm: texts.tabCustom };
  const labels: Readonly<Record<Tab['name'], string>> = {
    prompt: first[engineOf(draft.values)],
    voice: texts.tabVoice,
    analysis: texts.tabAnalysis,
    webhook: texts.webhook,
    calls: texts.tabCalls,
    versions: texts.versions,
    code: texts.code,
  };
  const at = Object.keys(issues).map(tabAt);
  const changed = draft.changed.map(tabOf);
  return tabNames.map((name) => {
    const hasFields = name in groupsOf;
    return {
      name,
      label: labels[name],
      issues: hasFields ? at.filter((tab) => tab === name).length : 0,
      changes: hasFields ? changed.filter((tab) => tab === name).length : 0,
    };
  });
}
