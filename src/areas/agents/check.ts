import type { AgentCheck } from '../../contract/agents/index.ts';
import { type Issue, maxIssues, placeOf } from '../../core/issues.ts';
import type { Publishability } from './publishable.ts';

/** The result of a check as it is sent, in the words that a rejected publish would use. */
export function checkResult({ errors, warnings }: Publishability): AgentCheck {
  return { publishable: errors.length === 0, errors: findingsOf(errors), warnings: findingsOf(warnings) };
}

function findingsOf(issues: readonly Issue[]) {
  return issues.slice(0, maxIssues).map(({ path, message }) => {
    const { field, inner } = placeOf(path);
    return { field, path: inner, message };
  });
}
