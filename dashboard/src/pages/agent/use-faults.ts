import { useCallback, useRef, useState } from 'react';
import { UnprocessableError, ValidationError } from '../../../../sdk/src/index.ts';
import { type Faults, faultsOf, fieldAt } from './checks.ts';
import { useAgentTexts } from './texts.ts';
import { isSame, type Values } from './values.ts';

interface Shown {
  readonly faults: Faults;
  readonly others: readonly string[];
  /** The form as it was found faulty. */
  readonly values: Values | null;
  /** Counted up with each look at the form, not with each fault that is mended. */
  readonly look: number;
}

const none: Shown = { faults: {}, others: [], values: null, look: 0 };

/** What is wrong with the form, found here or by the service. A fault goes as soon as its field is changed. */
export function useFaults(values: Values) {
  const texts = useAgentTexts();
  const [shown, setShown] = useState(none);
  const current = useRef(values);
  current.current = values;
  const stale = Object.keys(shown.faults).filter((path) => {
    const name = fieldAt(path)?.name;
    return name !== undefined && shown.values !== null && !isSame(shown.values[name], values[name]);
  });
  if (stale.length > 0) {
    const left = Object.entries(shown.faults).filter(([path]) => !stale.includes(path));
    setShown({ ...shown, faults: Object.fromEntries(left), others: [] });
  }
  /** Whether there is nothing to mend. */
  const show = useCallback((faults: Faults): boolean => {
    setShown(({ look }) => ({ faults, others: [], values: current.current, look: look + 1 }));
    return Object.keys(faults).length === 0;
  }, []);
  const showAnswer = useCallback(
    (error: unknown) => {
      if (!(error instanceof ValidationError || error instanceof UnprocessableError)) return;
      const faults = faultsOf(error.fieldErrors, texts);
      const others = error.formErrors.map((message) => texts.saidByService(message));
      setShown(({ look }) => ({ faults, others, values: current.current, look: look + 1 }));
    },
    [texts],
  );
  const clear = useCallback(() => setShown(none), []);
  return { faults: shown.faults, others: shown.others, look: shown.look, show, showAnswer, clear };
}
