import type { Agent, PhoneNumber } from '../../../../sdk/src/index.ts';
import { CommandError } from '../../failures.ts';
import type { WorkflowContent } from '../../workflows/content.ts';
import { referencesIn, renamed } from '../../workflows/references.ts';
import type { WorkspaceState } from '../state.ts';

export interface Known {
  readonly state: WorkspaceState;
  readonly agents: readonly Agent[];
  /** Empty if the key may not read them: then files have their ids. */
  readonly numbers: readonly PhoneNumber[];
}

/** The content with the names that files use: agents by their file, and phone numbers as they are dialed. */
export function withFileNames(content: WorkflowContent, known: Known): WorkflowContent {
  const { state, numbers } = known;
  return renamed(content, {
    agent: (name) => {
      const id = agentId(name, known);
      const file = [...state.agents].find(([, entry]) => entry.id === id)?.[0];
      return file ?? id ?? name;
    },
    number: (name) => numbers.find(({ id }) => id === name)?.number ?? name,
  });
}

/** The content with ids. Only the agents that an apply has just created may have been unknown to the plan. */
export function withIds(content: WorkflowContent, known: Known): WorkflowContent {
  return renamed(content, {
    agent: (name) => {
      const id = agentId(name, known);
      if (id === undefined) throw new CommandError(`the agent of ${name} could not be created`);
      return id;
    },
    number: (name) => known.numbers.find(({ number }) => number === name)?.id ?? name,
  });
}

/** What an apply creates before the workflows, by the names of their files and as they are dialed. */
export interface InFiles {
  readonly agentFiles: ReadonlyMap<string, unknown>;
  readonly dialed: ReadonlySet<string>;
}

/** Why it cannot be applied. */
export function unknownName(content: WorkflowContent, known: Known & InFiles): string | null {
  const { agents, numbers } = referencesIn(content);
  const agent = agents.find((name) => !known.agentFiles.has(name) && agentId(name, known) === undefined);
  if (agent !== undefined) return `there is no agent file ${agent}, and no single agent with this name`;
  const isKnown = (name: string) => known.dialed.has(name) || known.numbers.some(({ number }) => number === name);
  const number = numbers.find((name) => name.startsWith('+') && !isKnown(name));
  return number === undefined ? null : `there is no phone number ${number}`;
}

/** By its file, its id, or a name that only one agent has. */
function agentId(name: string, { state, agents }: Known): string | undefined {
  const id = state.agents.get(name)?.id;
  if (id !== undefined) return id;
  const [first, second] = agents.filter((agent) => agent.id === name || agent.name === name);
  return second === undefined ? first?.id : undefined;
}
