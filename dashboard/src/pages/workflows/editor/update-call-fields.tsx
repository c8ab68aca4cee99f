import { useTexts } from '../../../language/language.tsx';
import { PairsInput } from './pairs-input.tsx';
import type { StepFieldsProps } from './target-input.tsx';
import { TemplateInput } from './template-inputs.tsx';
import { editorTexts } from './texts.ts';

export function UpdateCallFields({ step, context }: StepFieldsProps) {
  const texts = useTexts(editorTexts);
  return (
    <>
      <PairsInput
        context={context}
        path="metadata"
        label={texts.metadata}
        hint={texts.metadataHint}
        value={step.metadata}
        nameLabel={texts.key}
        addLabel={texts.addKey}
      />
      <TemplateInput
        context={context}
        path="externalId"
        label={texts.externalId}
        hint={texts.externalIdHint}
        value={step.externalId}
        isOptional
      />
    </>
  );
}
