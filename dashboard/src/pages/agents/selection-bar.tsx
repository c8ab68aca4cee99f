import { Button } from '@mantine/core';
import { TrashIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import classes from './agents.module.css';
import { agentsTexts } from './texts.ts';

interface SelectionBarProps {
  readonly count: number;
  readonly onClear: () => void;
  readonly onDelete: () => void;
}

export function SelectionBar({ count, onClear, onDelete }: SelectionBarProps) {
  const { format } = useLanguage();
  const texts = useTexts(agentsTexts);
  return (
    <section className={classes.selection} aria-label={texts.selection}>
      <span role="status">{texts.selected(format.number(count))}</span>
      <Button size="compact-sm" variant="default" onClick={onClear}>
        {texts.clearSelection}
      </Button>
      <Button size="compact-sm" color="red.8" leftSection={<TrashIcon size={14} />} onClick={onDelete}>
        {texts.delete}
      </Button>
    </section>
  );
}
