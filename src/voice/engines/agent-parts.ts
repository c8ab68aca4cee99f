import type { Agent } from '../../contract/agents/agent.ts';
import { isJapanese } from '../text/language.ts';
import { readTools, type ToolDefinition } from '../tools/definition.ts';

export function toolsOf({ agentSettings }: Agent): readonly ToolDefinition[] {
  return readTools(((agentSettings ?? {}) as { readonly tools?: unknown }).tools);
}

export function timeZoneOf({ agentSettings, language }: Pick<Agent, 'agentSettings' | 'language'>): string {
  const { timeZone } = (agentSettings ?? {}) as { readonly timeZone?: string };
  return timeZone ?? (isJapanese(language) ? 'Asia/Tokyo' : 'UTC');
}
