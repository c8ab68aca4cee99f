import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Agent } from '../../../sdk/src/index.ts';
import { isRecord } from '../parts/json-value.ts';
import { useClient } from '../session/use-session.ts';
import { hasExamples, toolsIn } from '../tools/tools.ts';
import type { CallOptions } from './try-context.ts';
import type { TriedVersion } from './use-chat.ts';

/** A variable that the agent declares. */
export interface TrialVariable {
  readonly name: string;
  readonly description: string | null;
  /** What it is without a value, as a text. Null: nothing. */
  readonly usual: string | null;
}

export interface TrialSettings {
  /** Null while it is not known what the agent has. */
  readonly options: CallOptions | null;
  readonly variables: readonly TrialVariable[];
  /** What is typed for the variables, by name. */
  readonly typed: Readonly<Record<string, string>>;
  /** Whether what is typed is not in `options` yet. */
  readonly isTyping: boolean;
  readonly type: (name: string, text: string) => void;
  /** Uses what is typed from now on. */
  readonly apply: () => void;
  /** Null: the agent has no tools, or its version is published. */
  readonly usesExamples: boolean | null;
  /** Whether every tool has an example. */
  readonly isComplete: boolean;
  readonly setUsesExamples: (uses: boolean) => void;
}

/**
 * The variables and the tools of a call in the panel. Tools are not called if each of them has an example, until the user
 * decides otherwise: an agent made from a template works before its servers exist.
 */
export function useTrialSettings(agentId: string, version: TriedVersion): TrialSettings {
  const client = useClient();
  const { data: agent, isError } = useQuery({
    queryKey: ['agent-tried', agentId, version],
    queryFn: ({ signal }) => client.agents.versions.get(agentId, version, { signal }),
  });
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [applied, setApplied] = useState(typed);
  const [choice, setChoice] = useState<boolean | null>(null);
  const declared = useMemo(() => variablesOf(agent), [agent]);
  const settings = isRecord(agent?.agentSettings) ? agent.agentSettings : {};
  const hasTools = (toolsIn(settings)?.length ?? 0) > 0;
  const isComplete = hasExamples(settings);
  // Decided once: a change of the agent must not end the conversation.
  const [usual, setUsual] = useState<{ readonly version: TriedVersion; readonly uses: boolean } | null>(null);
  if (agent !== undefined && usual?.version !== version) setUsual({ version, uses: isComplete });
  const usesExamples =
    agent === undefined || agent.isPublished || !hasTools ? null : (choice ?? usual?.uses ?? isComplete);
  const options = useMemo(
    () => ({ ...variablesIn(declared, applied), ...(usesExamples === true && { toolResults: 'example' as const }) }),
    [declared, applied, usesExamples],
  );
  const textFor = ({ name, example }: Declared) => typed[name] ?? textOf(example);
  return {
    // Without the scope to read agents, a call is as the agent says.
    options: agent === undefined && !isError ? null : options,
    variables: declared.map(({ name, description, usual }) => ({ name, description, usual })),
    typed: Object.fromEntries(declared.map((variable) => [variable.name, textFor(variable)])),
    isTyping: declared.some(({ name }) => typed[name] !== applied[name]),
    type: (name, text) => setTyped({ ...typed, [name]: text }),
    apply: () => setApplied(typed),
    usesExamples,
    isComplete,
    setUsesExamples: setChoice,
  };
}

interface Declared extends TrialVariable {
  readonly example: unknown;
  /** The example or, without one, the default: what is typed becomes a value of its type. */
  readonly sample: unknown;
}

function variablesOf(agent: Agent | undefined): readonly Declared[] {
  const items = (agent?.agentVariables ?? []).filter(isRecord);
  return items.flatMap(({ name, value, example, description }) =>
    typeof name !== 'string' || name === ''
      ? []
      : [
          {
            name,
            description: typeof description === 'string' ? description : null,
            usual: value === undefined || value === null ? null : textOf(value),
            example: isScalar(example) ? example : undefined,
            sample: example ?? value,
          },
        ],
  );
}

/** Those that have a value of their own; all others are as the agent says. */
function variablesIn(
  declared: readonly Declared[],
  typed: Readonly<Record<string, string>>,
): Pick<CallOptions, 'variables'> {
  const entries = declared.flatMap(({ name, example, sample }) => {
    const text = typed[name] ?? textOf(example);
    return text === '' ? [] : [[name, valueFor(text, sample)] as const];
  });
  return entries.length === 0 ? {} : { variables: Object.fromEntries(entries) };
}

/** A number, or true or false, if the agent has one there. */
function valueFor(text: string, sample: unknown): string | number | boolean {
  if (typeof sample === 'number' && Number.isFinite(Number(text))) return Number(text);
  if (typeof sample === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}
