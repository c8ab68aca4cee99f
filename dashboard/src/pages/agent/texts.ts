import { useTexts } from '../../language/language.tsx';
import { inBothLanguages } from '../../language/texts.ts';
import { en } from './texts.en.ts';
import { ja } from './texts.ja.ts';

export const agentTexts = inBothLanguages(en, ja);

export type AgentTexts = (typeof agentTexts)['en'];

export function useAgentTexts(): AgentTexts {
  return useTexts(agentTexts);
}
