import { useEffect, useRef } from 'react';

/**
 * Returns the focus when a dialog or menu closes: to the element that had it before, or, if that is gone, to the start
 * of the page. It is never lost.
 */
export function useFocusReturn(isOpen: boolean): void {
  const opener = useRef<Element | null>(null);
  // During render, before the opened element takes the focus.
  if (isOpen) opener.current ??= openerOf(document.activeElement);
  useEffect(() => {
    if (!isOpen) return;
    return () => {
      const place = opener.current;
      opener.current = null;
      // After others that set the focus themselves, such as the next page or dialog.
      setTimeout(() => focusIfLost(place), 20);
      // After a page that knows where the dialog was opened from, if this one followed another.
      setTimeout(() => focusIfLost(document.querySelector('main')), 40);
    };
  }, [isOpen]);
}

/** A menu item disappears with its menu, so use the button of the menu. */
function openerOf(active: Element | null): Element | null {
  const menuButton = active?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return menuButton == null ? active : document.getElementById(menuButton);
}

function focusIfLost(place: Element | null): void {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  if (isLost && place instanceof HTMLElement && place.isConnected) place.focus({ preventScroll: true });
}
