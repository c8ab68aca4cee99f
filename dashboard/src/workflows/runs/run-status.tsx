import type { WorkflowRun } from '../../../../sdk/src/index.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Dot, type Tone } from '../../parts/dot.tsx';
import type { RunStatus } from './statuses.ts';
import { runNames } from './texts.ts';

type StepStatus = WorkflowRun['steps'][number]['status'];

export const runTones: Readonly<Record<RunStatus | StepStatus, Tone>> = {
  pending: 'warn',
  running: 'warn',
  waiting: 'warn',
  succeeded: 'good',
  failed: 'bad',
  canceled: 'quiet',
  skipped: 'quiet',
  not_reached: 'quiet',
};

export function RunStatusDot({ status }: { readonly status: RunStatus | StepStatus }) {
  const names = useTexts(runNames);
  return <Dot tone={runTones[status]}>{names[status]}</Dot>;
}

/** A reason in words; a code that has none is shown as it is. */
export function useReasonText(): (reason: string) => string {
  const { language } = useLanguage();
  const names: Readonly<Record<string, string>> = runNames[language];
  return (reason) => (Object.hasOwn(names, reason) ? (names[reason] as string) : reason);
}
