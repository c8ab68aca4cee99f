import { useTexts } from '../language/language.tsx';
import { type FlowTexts, flowTexts } from './texts.ts';

/** Apart from the texts, which code without React reads, too. */
export function useFlowTexts(): FlowTexts {
  return useTexts(flowTexts);
}
