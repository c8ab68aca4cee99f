import type { RefObject } from 'react';
import type { FieldName } from '../pages/agent/fields.ts';
import type { Values } from '../pages/agent/values.ts';
import type { Flow } from './flow.ts';
import { edited, type FlowHistory, type FlowMoment, redone, synchronized, undone } from './history.ts';

interface Options {
  readonly values: Values;
  /** `agentSettings`. */
  readonly settings: Record<string, unknown>;
  readonly history: RefObject<FlowHistory>;
  readonly onChange: (name: FieldName, value: unknown) => void;
}

/** What has changed, if it is more than the flow. */
export interface EditOptions {
  readonly startSkillId?: unknown;
  /** Edits of the same name in a row are one: letters that are typed into a field. */
  readonly name?: string;
}

export interface FlowEdits {
  edit(flow: Flow, options?: EditOptions): void;
  /** Null if there is nothing to undo. */
  readonly undo: (() => void) | null;
  readonly redo: (() => void) | null;
  /** The next edit is one of its own. */
  endEdit(): void;
}

/** Every edit of the flow, so that it can be undone. */
export function useFlowEdits({ values, settings, history, onChange }: Options): FlowEdits {
  const now: FlowMoment = { flow: settings.flow, startSkillId: values.startSkillId };
  history.current = synchronized(history.current, now);
  const show = (next: FlowMoment) => {
    const { flow: _, ...others } = settings;
    onChange('agentSettings', next.flow === undefined ? others : { ...others, flow: next.flow });
    if (next.startSkillId !== values.startSkillId) onChange('startSkillId', next.startSkillId);
  };
  const go = (to: FlowHistory | null) =>
    to === null
      ? null
      : () => {
          history.current = to;
          if (to.present !== null) show(to.present);
        };
  return {
    edit: (flow, options = {}) => {
      const startSkillId = 'startSkillId' in options ? options.startSkillId : values.startSkillId;
      const next = { flow, startSkillId };
      history.current = edited(history.current, next, options.name ?? null);
      show(next);
    },
    undo: go(undone(history.current)),
    redo: go(redone(history.current)),
    endEdit: () => {
      history.current = { ...history.current, edited: null };
    },
  };
}
