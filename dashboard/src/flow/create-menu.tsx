import { Menu } from '@mantine/core';
import type { Wanted } from './canvas/canvas.tsx';
import type { Flow, SkillType } from './flow.ts';
import classes from './flow-page.module.css';
import type { Point } from './layout/geometry.ts';
import { wayLabel } from './skill-preview.ts';
import { StepMenuItems } from './step-menu-items.tsx';
import type { FlowTexts } from './texts.ts';
import { useFlowTexts } from './use-flow-texts.ts';

interface CreateMenuProps {
  readonly flow: Flow;
  readonly wanted: Wanted;
  /** In the window. */
  readonly at: Point;
  readonly onChoose: (type: SkillType) => void;
  readonly onClose: () => void;
}

/** Where a route was dropped: which step is wanted there. */
export function CreateMenu({ flow, wanted, at, onChoose, onClose }: CreateMenuProps) {
  const label = labelOf(flow, wanted, useFlowTexts());
  return (
    <Menu opened onClose={onClose} position="bottom-start" width={300} withInitialFocusPlaceholder={false} trapFocus>
      <Menu.Target>
        <button
          type="button"
          className={classes.createAt}
          style={{ left: at.x, top: at.y }}
          aria-label={label}
          tabIndex={-1}
        />
      </Menu.Target>
      <Menu.Dropdown className={classes.types as string}>
        <Menu.Label>{label}</Menu.Label>
        <StepMenuItems
          onChoose={(type) => {
            onClose();
            onChoose(type);
          }}
        />
      </Menu.Dropdown>
    </Menu>
  );
}

function labelOf(flow: Flow, { from }: Wanted, texts: FlowTexts): string {
  const skill = from === null ? undefined : flow.skills[from.position];
  return skill === undefined || from === null
    ? texts.newStepHere
    : texts.newStepFor(`${skill.id} · ${wayLabel(skill, from.path, texts)}`);
}
