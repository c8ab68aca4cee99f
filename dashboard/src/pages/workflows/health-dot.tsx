import { useTexts } from '../../language/language.tsx';
import { Dot, type Tone } from '../../parts/dot.tsx';
import type { WorkflowHealth } from '../../workflows/health.ts';
import { workflowsTexts } from './texts.ts';

const tones: Readonly<Record<WorkflowHealth, Tone>> = {
  active: 'good',
  failing: 'bad',
  disabled_failing: 'bad',
  disabled: 'quiet',
};

export function HealthDot({ health }: { readonly health: WorkflowHealth }) {
  const texts = useTexts(workflowsTexts);
  return <Dot tone={tones[health]}>{texts[health]}</Dot>;
}
