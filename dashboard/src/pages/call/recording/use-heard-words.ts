import { useEffect, useRef } from 'react';
import { type TimedWord, wordAt } from './timed-words.ts';

export interface SpokenWords {
  readonly turn: number;
  readonly words: readonly TimedWord[];
}

/** The attributes of an element with a word, which the hook finds it by. */
export function wordAttributes(turn: number, place: number) {
  return { 'data-word': `${turn} ${place}` };
}

/**
 * Highlights the words that are heard, and plays from a word that is clicked. Directly in the document: the words change
 * several times a second, and a transcript may have thousands.
 */
export function useHeardWords(audio: HTMLAudioElement | null, spoken: readonly SpokenWords[]) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = place.current;
    if (root === null || audio === null) return;
    let heard: readonly HTMLElement[] = [];
    let frame = 0;
    const update = () => {
      const ms = audio.currentTime * 1000;
      // A recording that has not been played has no current word.
      const isBegun = ms > 0 || !audio.paused;
      const next = isBegun ? elementsAt(root, spoken, ms) : [];
      for (const element of heard) if (!next.includes(element)) delete element.dataset.isHeard;
      for (const element of next) element.dataset.isHeard = 'true';
      const newest = next.at(-1);
      if (!audio.paused && newest !== undefined && !heard.includes(newest)) follow(heard.at(-1), newest);
      if (next.length > 0) heard = next;
      if (!audio.paused) frame = requestAnimationFrame(update);
    };
    const restart = () => {
      cancelAnimationFrame(frame);
      update();
    };
    const onClick = ({ target }: MouseEvent) => {
      const word = (target as Element).closest<HTMLElement>('[data-word]')?.dataset.word;
      const [turn, index] = (word ?? '').split(' ').map(Number);
      const start = spoken.find((one) => one.turn === turn)?.words[index ?? -1]?.startMs;
      // Selecting text, to copy it, ends with a click as well.
      if (start === undefined || getSelection()?.isCollapsed === false) return;
      playFrom(audio, start);
    };
    for (const event of events) audio.addEventListener(event, restart);
    root.addEventListener('click', onClick);
    update();
    return () => {
      cancelAnimationFrame(frame);
      for (const event of events) audio.removeEventListener(event, restart);
      root.removeEventListener('click', onClick);
      for (const element of heard) delete element.dataset.isHeard;
    };
  }, [audio, spoken]);
  return place;
}

const events = ['play', 'pause', 'seeking', 'seeked'] as const;

export function playFrom(audio: HTMLAudioElement, ms: number): void {
  audio.currentTime = ms / 1000;
  audio.play().catch(() => {});
}

/** One word of each turn: both sides may speak at once. */
function elementsAt(root: HTMLElement, spoken: readonly SpokenWords[], ms: number): readonly HTMLElement[] {
  return spoken.flatMap(({ turn, words }) => {
    const index = wordAt(words, ms);
    const element = index === null ? null : root.querySelector<HTMLElement>(`[data-word="${turn} ${index}"]`);
    return element === null ? [] : [element];
  });
}

/** Scrolls along, unless the user has scrolled away from what was heard last. */
function follow(last: HTMLElement | undefined, next: HTMLElement): void {
  if (last !== undefined && !isInView(last)) return;
  if (!isInView(next)) next.scrollIntoView({ block: 'center' });
}

function isInView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}
