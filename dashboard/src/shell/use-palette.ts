import { useCallback, useEffect, useState } from 'react';

export const paletteKeys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

/** Whether the command palette is open, which Ctrl+K and ⌘K toggle anywhere. It is loaded when it is first opened. */
export function usePalette() {
  const [isOpen, setIsOpen] = useState(false);
  const open = useCallback(() => setIsOpen(true), []);
  const close = useCallback(() => setIsOpen(false), []);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isCommand || event.key.toLowerCase() !== 'k' || event.isComposing) return;
      // Browsers would search the web.
      event.preventDefault();
      setIsOpen((wasOpen) => !wasOpen);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return { isOpen, open, close };
}
