// biome-ignore-all lint/a11y/useSemanticElements: a list of options below a field has no element of its own.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays in the field.

import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react';
import { SearchIcon } from '../icons.tsx';
import type { Flow } from './flow.ts';
import classes from './flow-page.module.css';
import { stepsWith } from './problem-names.ts';
import { previewOf } from './skill-preview.ts';
import { StepIcon } from './step-icons.tsx';
import { useFlowTexts } from './use-flow-texts.ts';

interface StepSearchProps {
  readonly flow: Flow;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly onChoose: (position: number) => void;
}

const maxShown = 30;

/** Finds a step by its id, or by any words in it. */
export function StepSearch({ flow, input, onChoose }: StepSearchProps) {
  const texts = useFlowTexts();
  const [typed, setTyped] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [place, setPlace] = useState(0);
  const listId = useId();
  const found = isOpen ? stepsWith(flow, typed).slice(0, maxShown) : [];
  const active = found[Math.min(place, found.length - 1)];
  useEffect(() => {
    if (active !== undefined) document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, active]);
  const choose = (position: number | undefined) => {
    if (position === undefined) return;
    setIsOpen(false);
    setTyped('');
    onChoose(position);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const by: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = by[event.key];
    if (event.key === 'Enter') choose(active);
    else if (event.key === 'Escape') {
      setIsOpen(false);
      setTyped('');
    } else if (step !== undefined) setPlace((place + step + found.length) % Math.max(1, found.length));
    else return;
    event.preventDefault();
  };
  return (
    <div className={classes.search}>
      <SearchIcon size={15} />
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={active === undefined ? undefined : `${listId}-${active}`}
        aria-label={texts.search}
        placeholder={texts.search}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={typed}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setPlace(0);
          setIsOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label={texts.steps} className={classes.found} hidden={!isOpen}>
        {found.map((position) => {
          const skill = flow.skills[position];
          if (skill === undefined) return null;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles all keys.
            <div
              key={position}
              id={`${listId}-${position}`}
              role="option"
              aria-selected={position === active}
              className={classes.foundStep}
              // The field would lose the focus first.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(position)}
            >
              <StepIcon type={skill.type} size={14} />
              <strong>{skill.id}</strong>
              <span>{previewOf(skill)}</span>
            </div>
          );
        })}
        {isOpen && found.length === 0 && <p role="status">{texts.searchNone}</p>}
      </div>
    </div>
  );
}
