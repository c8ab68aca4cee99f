import type { KnowledgeBase, VoiceAgents } from '../../../../sdk/src/index.ts';
import { invalidUsage } from '../../failures.ts';
import { visible } from '../../terminal/text.ts';
import type { AgentFile } from '../agent-file.ts';
import type { Plan, PlannedItem } from '../plan.ts';
import { baseNamesIn, withBaseIds } from './names.ts';
import type { BasePlan } from './plan.ts';

/** The files with ids instead of names of bases. Names of bases that the plan creates stay. */
export function agentsWithIds(
  files: ReadonlyMap<string, AgentFile>,
  bases: readonly KnowledgeBase[],
  { items }: BasePlan,
): ReadonlyMap<string, AgentFile> {
  const created = new Set(items.flatMap(({ name, action }) => (action === 'create' ? [name] : [])));
  return new Map(
    [...files].map(([path, file]) => {
      const content = file.content === null ? null : withBaseIds(file.content, clearBases(bases));
      const unknown = content === null ? undefined : baseNamesIn(content).find((name) => !created.has(name));
      if (unknown !== undefined) {
        throw invalidUsage(`${visible(path)}: there is no knowledge base "${visible(unknown)}", or there are several`);
      }
      return [path, { ...file, content }];
    }),
  );
}

/** The plan with the ids of bases that were just created. An agent whose base is missing is left out. */
export async function planWithIds(plan: Plan, client: VoiceAgents): Promise<Plan> {
  const isNamed = ({ content }: PlannedItem) => content !== null && baseNamesIn(content).length > 0;
  if (!plan.items.some(isNamed)) return plan;
  const bases: KnowledgeBase[] = [];
  for await (const base of client.knowledgeBases.list({ limit: 200 })) bases.push(base);
  const known = clearBases(bases);
  const items = plan.items.map((item) => {
    if (item.content === null || !isNamed(item)) return item;
    const content = withBaseIds(item.content, known);
    const [missing] = baseNamesIn(content);
    const obstacle = missing === undefined ? item.obstacle : `the knowledge base ${missing} could not be created`;
    return { ...item, content, patch: withBaseIds(item.patch, known), obstacle };
  });
  return { ...plan, items };
}

/** The bases that are identified by their name alone. */
function clearBases(bases: readonly KnowledgeBase[]): KnowledgeBase[] {
  const named = Map.groupBy(bases, ({ name }) => name);
  return bases.filter(({ name }) => named.get(name)?.length === 1);
}
