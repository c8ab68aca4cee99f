import { createContext, useContext } from 'react';

/** The agent that is tried out. */
export interface TriedAgent {
  readonly id: string;
  readonly name: string;
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
