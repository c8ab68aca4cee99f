import type { AgentCheck } from '../../../sdk/src/index.ts';
import { isRecord, textOf } from '../parts/json-value.ts';
import { type Flow, startOf, waysOf } from './flow.ts';

export interface SkillFinding {
  /** The position of the skill. */
  readonly skill: number;
  /** The place in the skill, such as `routes.0.when`. Empty: the skill as a whole. */
  readonly path: string;
  readonly message: string;
  readonly isWarning: boolean;
}

/** What the service has found in the skills of the saved draft. */
export function findingsOfCheck({
  errors,
  warnings,
}: Pick<AgentCheck, 'errors' | 'warnings'>): readonly SkillFinding[] {
  const read = (isWarning: boolean) => (finding: AgentCheck['errors'][number]) => {
    const [, skill, path] = /^flow\.skills\.(\d+)\.?(.*)$/s.exec(finding.path) ?? [];
    if (finding.field !== 'agentSettings' || skill === undefined) return [];
    return [{ skill: Number(skill), path: path ?? '', message: finding.message, isWarning }];
  };
  return [...errors.flatMap(read(false)), ...warnings.flatMap(read(true))];
}

/** The same in what is not saved yet, as far as it can be seen here: the way through the skills. */
export function findingsHere(flow: Flow, startSkillId: unknown): readonly SkillFinding[] {
  const ids = new Set(flow.skills.map(({ id }) => id));
  const found: SkillFinding[] = [];
  const add = (skill: number, path: string, message: string) => found.push({ skill, path, message, isWarning: false });
  const reached = reachable(flow, startSkillId);
  for (const [position, skill] of flow.skills.entries()) {
    if (flow.skills.findIndex(({ id }) => id === skill.id) !== position) add(position, 'id', 'must be unique');
    for (const { path, to } of waysOf(skill)) {
      const isOptional = skill.type === 'prompt' && path === 'next';
      if (to === '' && !isOptional) add(position, path, 'is required');
      if (to !== '' && !ids.has(to)) add(position, path, 'is not the id of a skill');
    }
    if (!reached.has(skill.id)) add(position, '', 'cannot be reached: no route leads to it');
  }
  return found;
}

function reachable(flow: Flow, startSkillId: unknown): ReadonlySet<string> {
  const byId = new Map(flow.skills.map((skill) => [skill.id, skill]));
  const anytime = Array.isArray(flow.anytime) ? flow.anytime.filter(isRecord) : [];
  const first = flow.skills[startOf(flow, startSkillId)];
  const open = [...(first === undefined ? [] : [first.id]), ...anytime.map(({ next }) => textOf(next))];
  const reached = new Set<string>();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const skill = byId.get(id);
    if (skill === undefined || reached.has(id)) continue;
    reached.add(id);
    open.push(...waysOf(skill).map(({ to }) => to));
  }
  return reached;
}
