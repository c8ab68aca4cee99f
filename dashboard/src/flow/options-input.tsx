import { LinesInput, TextInput } from '../parts/form-inputs.tsx';
import { isRecord } from '../parts/json-value.ts';
import { NumberedFields } from '../parts/numbered-fields.tsx';
import type { Skill } from './flow.ts';
import type { SkillContext } from './target-input.tsx';
import { useFlowTexts } from './use-flow-texts.ts';

/** What the caller can choose from, with the words for each. */
export function OptionsInput({ skill, context }: { readonly skill: Skill; readonly context: SkillContext }) {
  const texts = useFlowTexts();
  const options = Array.isArray(skill.options) ? skill.options.filter(isRecord) : [];
  const change = (changed: readonly object[]) => context.set('options', changed);
  return (
    <NumberedFields
      items={options}
      texts={{ title: texts.option, remove: texts.removeOption, add: texts.addOption }}
      onAdd={context.isReadOnly ? null : () => change([...options, { value: '', say: [] }])}
      onRemove={context.isReadOnly ? null : change}
    >
      {(option, index) => (
        <>
          <TextInput context={context} path={`options.${index}.value`} label={texts.optionValue} value={option.value} />
          <LinesInput context={context} path={`options.${index}.say`} label={texts.optionSay} value={option.say} />
        </>
      )}
    </NumberedFields>
  );
}
