import { ActionIcon, Button } from '@mantine/core';
import { useRef } from 'react';
import { PlusIcon, TrashIcon } from '../icons.tsx';
import classes from './flow.module.css';
import { isRecord, type Skill } from './flow.ts';
import { LinesInput, type SkillContext, TextInput } from './skill-inputs.tsx';
import { useFlowTexts } from './texts.ts';

/** What the caller can choose from, with the words for each. */
export function OptionsInput({ skill, context }: { readonly skill: Skill; readonly context: SkillContext }) {
  const texts = useFlowTexts();
  const addButton = useRef<HTMLButtonElement>(null);
  const options = Array.isArray(skill.options) ? skill.options.filter(isRecord) : [];
  const remove = (index: number) => {
    context.set(
      'options',
      options.filter((_, other) => other !== index),
    );
    // The button that had the focus may be gone.
    addButton.current?.focus();
  };
  return (
    <div className={classes.routes}>
      {options.map((option, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an option is what is at its position.
        <fieldset key={index} className={classes.route}>
          <legend className={classes.routeTitle}>{texts.option(index + 1)}</legend>
          {!context.isReadOnly && (
            <ActionIcon
              className={classes.removeRoute as string}
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={texts.removeOption(index + 1)}
              onClick={() => remove(index)}
            >
              <TrashIcon size={14} />
            </ActionIcon>
          )}
          <TextInput context={context} path={`options.${index}.value`} label={texts.optionValue} value={option.value} />
          <LinesInput context={context} path={`options.${index}.say`} label={texts.optionSay} value={option.say} />
        </fieldset>
      ))}
      {!context.isReadOnly && (
        <Button
          ref={addButton}
          size="compact-sm"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          onClick={() => context.set('options', [...options, { value: '', say: [] }])}
        >
          {texts.addOption}
        </Button>
      )}
    </div>
  );
}
