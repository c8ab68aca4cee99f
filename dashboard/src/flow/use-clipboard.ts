import { useEffect, useRef } from 'react';
import { useNotice } from '../parts/notice.ts';
import { copiedFrom, copyOf, maxSkills, paste } from './edits.ts';
import type { Flow } from './flow.ts';
import { flowIn } from './flow.ts';
import type { Point } from './layout/geometry.ts';
import { isForEditor } from './use-editor-keys.ts';
import type { FlowEdits } from './use-flow-edits.ts';
import { useFlowTexts } from './use-flow-texts.ts';

interface Options {
  readonly flow: Flow;
  readonly places: readonly (Point | null)[];
  readonly selected: ReadonlySet<number>;
  readonly isReadOnly: boolean;
  readonly edits: FlowEdits;
  readonly onSelect: (positions: ReadonlySet<number>) => void;
  readonly remove: () => void;
}

/** Copy, cut and paste with the keys of the system: its events need no permission, in any context. */
export function useClipboard(options: Options) {
  const texts = useFlowTexts();
  const notice = useNotice();
  const insert = (copied: Flow | null) => {
    const { flow, places, edits, onSelect } = options;
    if (copied === null || copied.skills.length === 0) return notice(texts.pasteNone, 'bad');
    const pasted = paste(flow, copied, places);
    if (pasted === null) return notice(texts.tooMany(maxSkills), 'bad');
    edits.edit(pasted.flow);
    onSelect(pasted.positions);
  };
  const current = useRef({ options, insert });
  current.current = { options, insert };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the listeners read what is current.
  useEffect(() => {
    const copy = (event: ClipboardEvent) => {
      const { flow, selected, places } = current.current.options;
      const isText = (getSelection()?.toString() ?? '') !== '';
      if (!isForEditor(event.target) || isText || selected.size === 0) return false;
      event.clipboardData?.setData('text/plain', copyOf(flow, selected, places));
      event.preventDefault();
      notice(texts.copied(selected.size));
      return true;
    };
    const onCut = (event: ClipboardEvent) => {
      const { isReadOnly, remove } = current.current.options;
      if (copy(event) && !isReadOnly) remove();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (!isForEditor(event.target) || current.current.options.isReadOnly) return;
      event.preventDefault();
      current.current.insert(copiedFrom(event.clipboardData?.getData('text/plain') ?? ''));
    };
    document.addEventListener('copy', copy);
    document.addEventListener('cut', onCut);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('copy', copy);
      document.removeEventListener('cut', onCut);
      document.removeEventListener('paste', onPaste);
    };
  }, [texts]);
  return {
    duplicate: () => {
      const { flow, selected, places, isReadOnly } = options;
      if (isReadOnly || selected.size === 0) return;
      insert(flowIn({ flow: JSON.parse(copyOf(flow, selected, places)) }));
    },
  };
}
