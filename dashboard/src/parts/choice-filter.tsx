import { Checkbox, Input, InputBase, Popover, Stack } from '@mantine/core';
import { useId } from 'react';
import { ChevronDownIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { inBothLanguages } from '../language/texts.ts';
import classes from './choice-filter.module.css';

const choiceTexts = inBothLanguages(
  { any: 'Any', chosen: (count: string) => `${count} selected` },
  { any: 'すべて', chosen: (count) => `${count}件を選択` },
);

interface ChoiceFilterProps<Value extends string> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly texts: Readonly<Record<Value, string>>;
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: Value[]) => void;
}

/** Several values of a fixed set. Looks like a field, and opens a list to check. */
export function ChoiceFilter<Value extends string>({
  label,
  values,
  texts,
  chosen,
  onChange,
}: ChoiceFilterProps<Value>) {
  const { format } = useLanguage();
  const own = useTexts(choiceTexts);
  const id = useId();
  const [first] = chosen;
  const text = chosen.length > 1 ? own.chosen(format.number(chosen.length)) : first && texts[first];
  return (
    <Input.Wrapper size="xs" label={label} labelElement="div" labelProps={{ id: `${id}-label` }}>
      <Popover position="bottom-start" shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <InputBase
            component="button"
            type="button"
            pointer
            size="xs"
            aria-labelledby={`${id}-label ${id}-value`}
            rightSection={<ChevronDownIcon size={14} />}
            rightSectionPointerEvents="none"
            classNames={{ input: classes.choice as string }}
          >
            <span id={`${id}-value`}>{text ?? <Input.Placeholder>{own.any}</Input.Placeholder>}</span>
          </InputBase>
        </Popover.Target>
        <Popover.Dropdown p="sm" aria-labelledby={`${id}-label`}>
          <Checkbox.Group value={[...chosen]} onChange={(next) => onChange(next as Value[])} aria-label={label}>
            <Stack gap={8} className={classes.choices as string}>
              {values.map((value) => (
                <Checkbox key={value} size="xs" value={value} label={texts[value]} />
              ))}
            </Stack>
          </Checkbox.Group>
        </Popover.Dropdown>
      </Popover>
    </Input.Wrapper>
  );
}
