import type { Agent } from '../../../contract/agents/agent.ts';
import { type AppliedKnowledgeSettings, maxPromptCharacters } from '../../../contract/agents/settings/knowledge.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { Queries } from '../../../storage/database.ts';
import { knowledgeSettingsOf } from '../../../voice/engines/agent-parts.ts';
import type { AttachedBase, Knowledge } from '../../../voice/knowledge.ts';
import type { NotApplied } from '../../../voice/policy.ts';
import type { RecordedEvent } from '../../../voice/ports.ts';

/** What calls need of knowledge bases. */
export interface CallKnowledge {
  /** The bases among these ids that exist. */
  attached(workspaceId: string, ids: readonly string[], transaction?: Queries): Promise<readonly AttachedBase[]>;
  /** A call is about to search these bases. */
  load(workspaceId: string, ids: readonly string[]): void;
  /** Searches for the calls of an agent with these settings. */
  forCall(workspaceId: string, settings: AppliedKnowledgeSettings): Knowledge;
}

/** The bases of an agent when a call is created. */
export interface BasesOfCall {
  readonly knowledgeBases: Call['knowledgeBases'];
  readonly notApplied: readonly NotApplied[];
}

export const noBases: BasesOfCall = { knowledgeBases: [], notApplied: [] };

/** A call is created: records the bases of its agent, which are loaded meanwhile. */
export async function basesOfCall(knowledge: CallKnowledge, queries: Queries, agent: Agent): Promise<BasesOfCall> {
  const settings = knowledgeSettingsOf(agent);
  if (settings === null) return noBases;
  const ids = settings.bases.map(({ id }) => id);
  const bases = await knowledge.attached(agent.workspaceId, ids, queries);
  queries.atEnd((isCommitted) => isCommitted && knowledge.load(agent.workspaceId, ids));
  const characters = bases.reduce((sum, { characterCount }) => sum + characterCount, 0);
  const isTooLarge = settings.mode === 'prompt' && characters > maxPromptCharacters;
  return {
    knowledgeBases: bases.map(({ id, revision }) => ({ id, revision })),
    // The bases have grown since the agent was published: they are searched instead.
    notApplied: isTooLarge ? [{ field: 'agentSettings.knowledge.mode', reason: 'clamped' }] : [],
  };
}

type Usage = Call['usage']['knowledge'];

/** With one more search. One that came too late is not known to have found nothing. */
export function countSearch(
  { searches, empty, timedOut }: Usage,
  event: Extract<RecordedEvent, { type: 'knowledge_searched' }>,
): Usage {
  return {
    searches: searches + 1,
    empty: empty + (event.results === 0 && !event.timedOut ? 1 : 0),
    timedOut: timedOut + (event.timedOut ? 1 : 0),
  };
}
