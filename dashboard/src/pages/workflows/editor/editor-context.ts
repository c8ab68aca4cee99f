import { createContext, useContext } from 'react';
import type { Call } from '../../../../../sdk/src/index.ts';
import type { Completion } from '../../../workflows/completions.ts';

/** What the inputs of a step can offer. */
export interface StepOffers {
  /** What templates can name. */
  readonly values: readonly Completion[];
  /** Secrets, where they are accepted. */
  readonly secrets: readonly Completion[];
  /** The fields that a condition can compare. */
  readonly fields: readonly string[];
  /** The call whose values are shown. */
  readonly call: Call | null;
}

export const StepOffersContext = createContext<StepOffers>({ values: [], secrets: [], fields: [], call: null });

export function useStepOffers(): StepOffers {
  return useContext(StepOffersContext);
}
