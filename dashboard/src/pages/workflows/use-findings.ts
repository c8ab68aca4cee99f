import { useCallback, useMemo, useState } from 'react';
import { UnprocessableError, ValidationError } from '../../../../sdk/src/index.ts';
import type { WorkflowValues } from '../../workflows/definition.ts';
import { type Finding, findingsHere, findingsOfService, mergedFindings } from '../../workflows/findings.ts';

interface Answer {
  readonly findings: readonly Finding[];
  /** What they are about. */
  readonly values: WorkflowValues;
}

/** What is wrong: what the service has said about what is still the same, and what can be seen here. */
export function useFindings(values: WorkflowValues) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const all = useMemo(() => {
    const current = answer === null ? [] : answer.findings.filter((finding) => isSame(finding, answer.values, values));
    return mergedFindings(current, findingsHere(values));
  }, [answer, values]);
  /** Returns what the service has found in these values, if that is what the error is about. */
  const show = useCallback((error: unknown, about: WorkflowValues): readonly Finding[] => {
    const isKnown = error instanceof ValidationError || error instanceof UnprocessableError;
    const findings = isKnown ? findingsOfService(error.fieldErrors) : [];
    setAnswer({ findings, values: about });
    return findings;
  }, []);
  const clear = useCallback(() => setAnswer(null), []);
  return { all, show, clear };
}

function isSame({ part, path }: Finding, one: WorkflowValues, other: WorkflowValues): boolean {
  const read = (values: WorkflowValues): unknown => {
    if (part === 'trigger') return values.trigger;
    if (part !== null) return values.steps[part];
    return path === 'name' || path === 'description' ? values[path] : values;
  };
  return JSON.stringify(read(one)) === JSON.stringify(read(other));
}
