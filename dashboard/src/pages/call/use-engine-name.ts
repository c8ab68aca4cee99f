import type { Call } from '../../../../sdk/src/index.ts';
import { isRehearsed } from '../../calls/call.ts';
import { useTexts } from '../../language/language.tsx';
import { callPageTexts } from './texts.ts';

/** What the replies of a call come from. */
export function useEngineName(call: Call): string {
  const texts = useTexts(callPageTexts);
  if (isRehearsed(call)) return texts.engineRehearsal;
  const names = {
    flow: texts.engineFlow,
    prompt: texts.enginePrompt,
    custom_llm: texts.engineCustom,
    rehearsal: texts.engineRehearsal,
    test: texts.engineTest,
  };
  return call.engine === null ? '–' : names[call.engine];
}
