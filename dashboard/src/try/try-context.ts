import { createContext, useContext, useEffect } from 'react';
import type { CreateCall } from '../../../sdk/src/index.ts';

/** The agent that is tried out. */
export interface TriedAgent {
  readonly id: string;
  readonly name: string;
  /** Where the conversation flow starts, if not where the agent says. */
  readonly startSkillId?: string;
}

/** What a call in the panel is created with, besides its agent. */
export type CallOptions = Pick<CreateCall, 'variables' | 'toolResults'>;

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

/** The call of the panel while it is open. */
export interface TrialCall {
  readonly id: string;
  /** How many turns it has so far. */
  readonly turns: number;
  readonly isSpoken: boolean;
}

interface TrialProgress {
  /** Null if no call is open. */
  readonly call: TrialCall | null;
  readonly report: (call: TrialCall | null) => void;
}

export const TrialProgressContext = createContext<TrialProgress>({ call: null, report: () => {} });

export function useTrialCall(): TrialCall | null {
  return useContext(TrialProgressContext).call;
}

/** Tells which call is open while the component is there. */
export function useReportedCall(id: string | null, turns: number, isSpoken: boolean): void {
  const { report } = useContext(TrialProgressContext);
  useEffect(() => {
    report(id === null ? null : { id, turns, isSpoken });
    return () => report(null);
  }, [id, turns, isSpoken, report]);
}
