import { useCallback, useMemo, useRef, useState } from 'react';
import { UnprocessableError, ValidationError } from '../../../../sdk/src/index.ts';
import { checkLimits, fieldAt, type Issues, issuesOf } from './checks.ts';
import { useAgentTexts } from './texts.ts';
import { isSame, type Values } from './values.ts';

interface Shown {
  readonly issues: Issues;
  readonly others: readonly string[];
  /** The values that were found invalid. */
  readonly values: Values | null;
  /** Incremented with each validation, not with each fixed issue. */
  readonly look: number;
}

const none: Shown = { issues: {}, others: [], values: null, look: 0 };

/**
 * The problems of the form. `issues` are those of the last attempt to save, found here or by the service, and disappear
 * when their fields change; `all` also has the limits that the input exceeds right now.
 */
export function useIssues(base: Values | null, values: Values) {
  const texts = useAgentTexts();
  const exceeded = useMemo(() => checkLimits(values, base, texts), [values, base, texts]);
  const [shown, setShown] = useState(none);
  const current = useRef(values);
  current.current = values;
  const stale = Object.keys(shown.issues).filter((path) => {
    const name = fieldAt(path)?.name;
    return name !== undefined && shown.values !== null && !isSame(shown.values[name], values[name]);
  });
  if (stale.length > 0) {
    const left = Object.entries(shown.issues).filter(([path]) => !stale.includes(path));
    setShown({ ...shown, issues: Object.fromEntries(left), others: [] });
  }
  /** Returns whether the form is valid. */
  const show = useCallback((issues: Issues): boolean => {
    setShown(({ look }) => ({ issues, others: [], values: current.current, look: look + 1 }));
    return Object.keys(issues).length === 0;
  }, []);
  const showAnswer = useCallback(
    (error: unknown) => {
      if (!(error instanceof ValidationError || error instanceof UnprocessableError)) return;
      const issues = issuesOf(error.fieldErrors, texts);
      const others = error.formErrors.map((message) => texts.saidByService(message));
      setShown(({ look }) => ({ issues, others, values: current.current, look: look + 1 }));
    },
    [texts],
  );
  const clear = useCallback(() => setShown(none), []);
  const all = useMemo(() => ({ ...exceeded, ...shown.issues }), [exceeded, shown.issues]);
  return { all, issues: shown.issues, others: shown.others, look: shown.look, show, showAnswer, clear };
}
