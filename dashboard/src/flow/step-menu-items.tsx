import { Menu } from '@mantine/core';
import { type SkillType, skillTypes } from './flow.ts';
import classes from './flow-page.module.css';
import { StepIcon } from './step-icons.tsx';
import { useFlowTexts } from './use-flow-texts.ts';

interface StepMenuItemsProps {
  readonly onChoose: (type: SkillType) => void;
}

/** The types of steps in a menu. */
export function StepMenuItems({ onChoose }: StepMenuItemsProps) {
  const texts = useFlowTexts();
  return skillTypes.map((type) => (
    <Menu.Item key={type} leftSection={<StepIcon type={type} size={18} />} onClick={() => onChoose(type)}>
      <strong>{texts[type]}</strong>
      <span className={classes.about}>{texts[`${type}About`]}</span>
    </Menu.Item>
  ));
}
