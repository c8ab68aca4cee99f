import { Tooltip, UnstyledButton } from '@mantine/core';
import { draggedType } from './canvas/canvas.tsx';
import { type SkillType, skillTypes } from './flow.ts';
import classes from './flow-page.module.css';
import { StepIcon } from './step-icons.tsx';
import { useFlowTexts } from './use-flow-texts.ts';

interface StepPaletteProps {
  readonly onAdd: (type: SkillType) => void;
}

/** The types of steps: to add one, or to drag it to its place. */
export function StepPalette({ onAdd }: StepPaletteProps) {
  const texts = useFlowTexts();
  return (
    <section className={classes.palette} aria-label={texts.palette}>
      {skillTypes.map((type) => (
        <Tooltip key={type} label={texts[`${type}About`]} position="right">
          <UnstyledButton
            className={classes.paletteItem as string}
            data-type={type}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.setData(draggedType, type);
              event.dataTransfer.effectAllowed = 'copy';
            }}
            onClick={() => onAdd(type)}
          >
            <StepIcon type={type} size={18} />
            <span>{texts[type]}</span>
          </UnstyledButton>
        </Tooltip>
      ))}
    </section>
  );
}
