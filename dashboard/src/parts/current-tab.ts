import { type RefObject, useEffect } from 'react';

/** On a narrow screen, and beside the panel, a bar of tabs scrolls: this shows the current one. */
export function useCurrentTabInView(ref: RefObject<HTMLElement | null>, current: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the tab changes.
  useEffect(() => {
    const bar = ref.current;
    const tab = bar?.querySelector<HTMLElement>('[aria-current], [aria-selected=true]');
    if (!bar || !tab) return;
    const show = () => {
      bar.scrollLeft += centerOf(tab) - centerOf(bar);
    };
    show();
    const observer = new ResizeObserver(show);
    observer.observe(bar);
    return () => observer.disconnect();
  }, [ref, current]);
}

function centerOf(element: HTMLElement): number {
  const { left, width } = element.getBoundingClientRect();
  return left + width / 2;
}
