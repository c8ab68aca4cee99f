import { focusAt } from '../pages/agent/focus-at.ts';
import { useNotice } from '../parts/notice.ts';
import type { Wanted } from './canvas/canvas.tsx';
import { appendSkill, maxSkills, removeSkills, withoutPlaces, withPlaces } from './edits.ts';
import { connect, type Flow, type SkillType, waysOf } from './flow.ts';
import type { Point } from './layout/geometry.ts';
import { useClipboard } from './use-clipboard.ts';
import type { FlowEdits } from './use-flow-edits.ts';
import { useFlowTexts } from './use-flow-texts.ts';

interface ActionOptions {
  readonly flow: Flow;
  readonly selected: ReadonlySet<number>;
  readonly isReadOnly: boolean;
  readonly onSelect: (positions: ReadonlySet<number>) => void;
  readonly edits: FlowEdits;
  readonly places: readonly (Point | null)[];
  readonly setPanel: (panel: 'step') => void;
}

type NewPlace = { readonly place: Point | null; readonly from: Wanted['from'] };

/** What is done with steps, from wherever it is asked for. */
export function useFlowActions(options: ActionOptions) {
  const { flow, selected, isReadOnly, edits, places, onSelect, setPanel } = options;
  const texts = useFlowTexts();
  const notice = useNotice();
  const select = (positions: ReadonlySet<number>) => {
    edits.endEdit();
    onSelect(positions);
    if (positions.size > 0) setPanel('step');
  };
  const editStep = (position: number, path = 'id') => {
    select(new Set([position]));
    focusAt(`agentSettings.flow.skills.${position}${path === '' ? '' : `.${path}`}`);
  };
  const create = (type: SkillType, { place, from }: NewPlace) => {
    if (flow.skills.length >= maxSkills) return notice(texts.tooMany(maxSkills), 'bad');
    const { flow: added, position } = appendSkill(flow, type);
    const id = added.skills[position]?.id ?? '';
    const led = from === null ? added : connect(added, from.position, from.path, id);
    edits.edit(place === null ? led : withPlaces(led, [...places, place]));
    editStep(position);
  };
  const remove = () => {
    if (isReadOnly || selected.size === 0) return;
    edits.edit(removeSkills(flow, selected));
    onSelect(new Set());
    // What had the focus may be gone.
    focusAt('agentSettings.flow');
  };
  const clipboard = useClipboard({ flow, places, selected, isReadOnly, edits, onSelect, remove });
  return {
    select,
    editStep,
    create,
    remove,
    duplicate: clipboard.duplicate,
    /** After the selected step, where its first route leads nowhere. */
    add: (type: SkillType) => {
      const [from] = selected.size === 1 ? selected : [];
      const source = from === undefined ? undefined : flow.skills[from];
      const free = source && waysOf(source).find(({ to }) => to === '');
      create(type, {
        place: null,
        from: free === undefined || from === undefined ? null : { position: from, path: free.path },
      });
    },
    tidy: () => {
      edits.edit(withoutPlaces(flow));
      notice(texts.tidied);
    },
  };
}
