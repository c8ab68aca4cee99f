import { useEffect, useRef } from 'react';

/**
 * What is open takes the focus with it when it goes. It goes back to where it was when it was opened; where that is gone,
 * too, to the beginning of the page, and never to nowhere.
 */
export function useFocusReturn(isOpen: boolean): void {
  const opener = useRef<Element | null>(null);
  // While it is drawn, and so before what is opened has taken the focus.
  if (isOpen) opener.current ??= openerOf(document.activeElement);
  useEffect(() => {
    if (!isOpen) return;
    return () => {
      const place = opener.current;
      opener.current = null;
      // After those who have a place of their own for it: the next page, the next dialog.
      setTimeout(() => giveFocus(place), 20);
    };
  }, [isOpen]);
}

/** An item of a menu is gone with its menu: what counts is the button of the menu. */
function openerOf(active: Element | null): Element | null {
  const menuButton = active?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return menuButton == null ? active : document.getElementById(menuButton);
}

function giveFocus(place: Element | null): void {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  if (!isLost) return;
  const isThere = place instanceof HTMLElement && place.isConnected && place !== document.body;
  if (isThere) place.focus({ preventScroll: true });
  if (document.activeElement === document.body) document.querySelector('main')?.focus({ preventScroll: true });
}
