const leaving = 'voice-agents:leaving';

/**
 * Lets a page be asked before the back button leads away from it. Called before anything else listens: browsers tell
 * those who listen to a window in the order in which they came, and the router would draw the other page at once.
 */
export function announceBackButton(): void {
  addEventListener('popstate', (event) => {
    const isAllowed = dispatchEvent(new Event(leaving, { cancelable: true }));
    if (!isAllowed) event.stopImmediatePropagation();
  });
}

/** `stays` says whether the page is to stay, and then has to put its address back. Returns how to stop asking. */
export function askBeforeBack(stays: () => boolean): () => void {
  const listen = (event: Event) => {
    if (stays()) event.preventDefault();
  };
  addEventListener(leaving, listen);
  return () => removeEventListener(leaving, listen);
}
