import type { Agent } from '../../contract/agents/agent.ts';
import {
  type AppliedKnowledgeSettings,
  type KnowledgeSettings,
  knowledgeDefaults,
} from '../../contract/agents/settings/knowledge.ts';
import type { PhoneSettings } from '../../contract/agents/settings/phone.ts';
import type { TransferTarget } from '../ports.ts';
import { isJapanese } from '../text/language.ts';
import { phoneTools } from '../tools/built-in.ts';
import { type CallableTool, readTools, type ToolDefinition } from '../tools/definition.ts';

export function toolsOf({ agentSettings }: Agent): readonly ToolDefinition[] {
  return readTools(((agentSettings ?? {}) as { readonly tools?: unknown }).tools);
}

export function phoneSettingsOf({ agentSettings }: Pick<Agent, 'agentSettings'>): PhoneSettings {
  return ((agentSettings ?? {}) as { readonly phone?: PhoneSettings }).phone ?? {};
}

/** Whether the agent is for phone calls, so that a simulated call of it has a phone line. */
export function hasPhoneSettings({ agentSettings }: Pick<Agent, 'agentSettings'>): boolean {
  return (agentSettings as { readonly phone?: unknown } | null | undefined)?.phone !== undefined;
}

/** What a model can do with the line of a phone call. */
export function phoneToolsOf(agent: Agent): readonly CallableTool[] {
  const { transfers = [], optOut = true } = phoneSettingsOf(agent);
  return phoneTools({ transfers, hasOptOut: optOut });
}

export function transfersOf(agent: Agent): readonly TransferTarget[] {
  return (phoneSettingsOf(agent).transfers ?? []).map(
    ({ name, to, mode = 'cold', brief = null, extension = null, ringTimeoutMs = 25_000, showCaller = false }) => {
      return { name, to, mode, brief, extension, ringTimeoutMs, showCaller };
    },
  );
}

/** Null if the agent has no knowledge bases. */
export function knowledgeSettingsOf({ agentSettings }: Pick<Agent, 'agentSettings'>): AppliedKnowledgeSettings | null {
  const { knowledge } = (agentSettings ?? {}) as { readonly knowledge?: KnowledgeSettings };
  return knowledge === undefined ? null : ({ ...knowledgeDefaults, ...knowledge } as AppliedKnowledgeSettings);
}

export function timeZoneOf({ agentSettings, language }: Pick<Agent, 'agentSettings' | 'language'>): string {
  const { timeZone } = (agentSettings ?? {}) as { readonly timeZone?: string };
  return timeZone ?? (isJapanese(language) ? 'Asia/Tokyo' : 'UTC');
}
