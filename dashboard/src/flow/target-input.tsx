import { ActionIcon, Menu } from '@mantine/core';
import { PlusIcon } from '../icons.tsx';
import controls from '../parts/controls.module.css';
import { attributes, type FormContext, type InputProps, Labelled } from '../parts/form-inputs.tsx';
import type { SkillType } from './flow.ts';
import classes from './flow-page.module.css';
import { StepMenuItems } from './step-menu-items.tsx';
import { useFlowTexts } from './use-flow-texts.ts';

export interface SkillContext extends FormContext {
  /** The ids of all steps. */
  readonly ids: readonly string[];
  /** Leads a route to a new step. */
  readonly create: (path: string, type: SkillType) => void;
}

interface TargetInputProps extends InputProps {
  readonly context: SkillContext;
  readonly value: unknown;
}

/** Where to go: one of the steps, or a new one. */
export function TargetInput({ value, ...props }: TargetInputProps) {
  const texts = useFlowTexts();
  const { context, path, label } = props;
  const current = typeof value === 'string' ? value : '';
  const ids = [...new Set(context.ids)];
  return (
    <Labelled {...props}>
      <div className={classes.target}>
        <select
          {...attributes(context, path)}
          className={controls.input}
          value={current}
          disabled={context.isReadOnly}
          onChange={({ currentTarget }) =>
            context.set(path, currentTarget.value === '' ? undefined : currentTarget.value)
          }
        >
          <option value="">{texts.nowhere}</option>
          {/* A value that is none of the steps stays one. */}
          {current !== '' && !ids.includes(current) && <option value={current}>{current}</option>}
          {ids.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
        {!context.isReadOnly && (
          // Not an option: a choice with the arrow keys passes all of them.
          <Menu position="bottom-end" width={300} withInitialFocusPlaceholder={false}>
            <Menu.Target>
              <ActionIcon variant="default" size={30} aria-label={texts.newStepFor(label)}>
                <PlusIcon size={14} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown className={classes.types as string}>
              <StepMenuItems onChoose={(type) => context.create(path, type)} />
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
    </Labelled>
  );
}
