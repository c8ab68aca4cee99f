import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useFocusReturn } from '../parts/focus-return.ts';
import { type TrialCall, TrialContext, TrialProgressContext, type TriedAgent } from './try-context.ts';

/** Around all pages, so that a chat goes on while the user looks at another page. */
export function TrialProvider({ children }: { readonly children: ReactNode }) {
  const [agent, setAgent] = useState<TriedAgent | null>(null);
  const close = useCallback(() => setAgent(null), []);
  useFocusReturn(agent !== null);
  const trial = useMemo(() => ({ agent, open: setAgent, close }), [agent, close]);
  const [call, report] = useState<TrialCall | null>(null);
  const progress = useMemo(() => ({ call, report }), [call]);
  return (
    <TrialContext value={trial}>
      <TrialProgressContext value={progress}>{children}</TrialProgressContext>
    </TrialContext>
  );
}
