import type { Workflow } from '../../../sdk/src/schema.ts';

/** The parts of a workflow that name agents and phone numbers. */
type Naming = Pick<Workflow, 'trigger' | 'steps'>;

/** How agents and phone numbers are named. */
export interface Renaming {
  readonly agent: (name: string) => string;
  readonly number: (name: string) => string;
}

/** The agents and numbers that a workflow names. What is a template is known in a run only. */
export function referencesIn({ trigger, steps }: Naming): { agents: string[]; numbers: string[] } {
  const calls = steps.flatMap((step) => (step.type === 'create_call' ? [step.call] : []));
  const literal = (names: readonly string[]) => [...new Set(names)].filter((name) => !name.includes('{{'));
  return {
    agents: literal([...trigger.agentIds, ...calls.map(({ agentId }) => agentId)]),
    numbers: literal(calls.map(({ fromPhoneNumberId }) => fromPhoneNumberId)),
  };
}

/** The same workflow with other names for its agents and numbers. */
export function renamed<Content extends Naming>(content: Content, { agent, number }: Renaming): Content {
  const rename = (name: string, change: (name: string) => string) => (name.includes('{{') ? name : change(name));
  return {
    ...content,
    trigger: { ...content.trigger, agentIds: content.trigger.agentIds.map((name) => rename(name, agent)) },
    steps: content.steps.map((step) => {
      if (step.type !== 'create_call') return step;
      const { agentId, fromPhoneNumberId } = step.call;
      const call = {
        ...step.call,
        agentId: rename(agentId, agent),
        fromPhoneNumberId: rename(fromPhoneNumberId, number),
      };
      return { ...step, call };
    }),
  };
}
