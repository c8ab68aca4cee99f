import { createContext, useContext, useEffect } from 'react';

/** The agent that is tried out. */
export interface TriedAgent {
  readonly id: string;
  readonly name: string;
  /** Where the conversation flow starts, if not where the agent says. */
  readonly startSkillId?: string;
}

export interface Trial {
  /** Null while the panel is closed. */
  readonly agent: TriedAgent | null;
  open(agent: TriedAgent): void;
  close(): void;
}

export const TrialContext = createContext<Trial | null>(null);

export function useTrial(): Trial {
  const trial = useContext(TrialContext);
  if (trial === null) throw new Error('There is no TrialProvider around this.');
  return trial;
}

/** What the agent has said so far in the conversation of the panel, and how the panel tells. */
export interface TrialProgress {
  readonly said: readonly string[];
  readonly report: (said: readonly string[]) => void;
}

export const TrialProgressContext = createContext<TrialProgress>({ said: [], report: () => {} });

export function useTrialProgress(): readonly string[] {
  return useContext(TrialProgressContext).said;
}

/** Tells what the agent has said while the component is there. */
export function useReportedProgress(said: readonly string[]): void {
  const { report } = useContext(TrialProgressContext);
  const texts = JSON.stringify(said);
  useEffect(() => {
    report(JSON.parse(texts));
    return () => report([]);
  }, [texts, report]);
}
