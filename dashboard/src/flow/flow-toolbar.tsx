import { ActionIcon, Button, Menu, SegmentedControl, Tooltip } from '@mantine/core';
import type { ReactNode, RefObject } from 'react';
import { CopyIcon, PlusIcon, TrashIcon } from '../icons.tsx';
import type { Flow, SkillType } from './flow.ts';
import classes from './flow-page.module.css';
import { StepMenuItems } from './step-menu-items.tsx';
import { StepSearch } from './step-search.tsx';
import { FitIcon, MinusIcon, RedoIcon, TidyIcon, UndoIcon } from './toolbar-icons.tsx';
import { useFlowTexts } from './use-flow-texts.ts';

interface FlowToolbarProps {
  readonly flow: Flow;
  readonly isList: boolean;
  readonly isReadOnly: boolean;
  readonly isSmall: boolean;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly selectedCount: number;
  readonly hasPlaces: boolean;
  readonly undo: (() => void) | null;
  readonly redo: (() => void) | null;
  readonly onView: (view: 'graph' | 'list') => void;
  readonly onFind: (position: number) => void;
  readonly onAdd: (type: SkillType) => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
  readonly onTidy: () => void;
  readonly onFit: () => void;
  readonly onZoom: (by: number) => void;
}

/** Above the canvas: search, view, undo and redo, and what is done with the selected steps. */
export function FlowToolbar(props: FlowToolbarProps) {
  const { flow, isList, isReadOnly, isSmall, search, selectedCount, hasPlaces, undo, redo } = props;
  const texts = useFlowTexts();
  return (
    <div className={classes.toolbar} role="toolbar" aria-label={texts.editor}>
      <SegmentedControl
        size="xs"
        aria-label={texts.view}
        value={isList ? 'list' : 'graph'}
        onChange={(view) => props.onView(view as 'graph' | 'list')}
        data={[
          { value: 'graph', label: texts.graph },
          { value: 'list', label: texts.list },
        ]}
      />
      <StepSearch flow={flow} input={search} onChoose={props.onFind} />
      {!isReadOnly && (isSmall || isList) && (
        <Menu position="bottom-start" width={300} withInitialFocusPlaceholder={false}>
          <Menu.Target>
            {isSmall ? (
              <ActionIcon variant="default" aria-label={texts.add}>
                <PlusIcon size={16} />
              </ActionIcon>
            ) : (
              <Button size="xs" variant="default" leftSection={<PlusIcon size={14} />}>
                {texts.add}
              </Button>
            )}
          </Menu.Target>
          <Menu.Dropdown className={classes.types as string}>
            <StepMenuItems onChoose={props.onAdd} />
          </Menu.Dropdown>
        </Menu>
      )}
      <span className={classes.room} />
      {!isReadOnly && (
        <>
          <span className={classes.group}>
            <Tool label={texts.undo} onClick={undo}>
              <UndoIcon />
            </Tool>
            <Tool label={texts.redo} onClick={redo}>
              <RedoIcon />
            </Tool>
          </span>
          <span className={classes.group} data-is-in-form>
            <Tool label={texts.duplicate} onClick={selectedCount > 0 ? props.onDuplicate : null}>
              <CopyIcon size={16} />
            </Tool>
            <Tool
              label={selectedCount > 1 ? texts.removeSeveral : texts.remove}
              onClick={selectedCount > 0 ? props.onRemove : null}
            >
              <TrashIcon size={16} />
            </Tool>
          </span>
        </>
      )}
      {!isList && (
        <span className={classes.group}>
          {!isReadOnly && (
            <Tool label={texts.tidy} onClick={hasPlaces ? props.onTidy : null}>
              <TidyIcon />
            </Tool>
          )}
          {/* With two fingers on a small screen. */}
          {!isSmall && (
            <>
              <Tool label={texts.zoomOut} onClick={() => props.onZoom(1 / 1.3)}>
                <MinusIcon />
              </Tool>
              <Tool label={texts.zoomIn} onClick={() => props.onZoom(1.3)}>
                <PlusIcon size={16} />
              </Tool>
            </>
          )}
          <Tool label={texts.zoomFit} onClick={props.onFit}>
            <FitIcon />
          </Tool>
        </span>
      )}
    </div>
  );
}

interface ToolProps {
  readonly label: string;
  /** Null: there is nothing to do. The button keeps the focus. */
  readonly onClick: (() => void) | null;
  readonly children: ReactNode;
}

function Tool({ label, onClick, children }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        {...(onClick === null && { 'data-disabled': true, 'aria-disabled': true })}
        onClick={() => onClick?.()}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
