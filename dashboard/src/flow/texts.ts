import { inBothLanguages } from '../language/texts.ts';
import { editorTexts } from './editor-texts.ts';
import { type SkillType, skillTypes } from './flow.ts';
import { stepFormTexts } from './step-form-texts.ts';
import { stepTexts } from './step-texts.ts';

/** All texts of the editor. */
export const flowTexts = inBothLanguages(
  { ...stepTexts.en, ...stepFormTexts.en, ...editorTexts.en },
  { ...stepTexts.ja, ...stepFormTexts.ja, ...editorTexts.ja },
);

export type FlowTexts = (typeof flowTexts)['en'];

/** A draft may have a type that does not exist. */
export function typeLabel(type: string, texts: FlowTexts): string {
  return (skillTypes as readonly string[]).includes(type) ? texts[type as SkillType] : type;
}
