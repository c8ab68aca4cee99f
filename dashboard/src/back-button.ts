const leaving = 'voice-agents:leaving';

/**
 * Lets a page intercept the back button. Must be called before any other listener is added: browsers call the listeners
 * of a window in order of registration, and the router would render the other page immediately.
 */
export function announceBackButton(): void {
  addEventListener('popstate', (event) => {
    const isAllowed = dispatchEvent(new Event(leaving, { cancelable: true }));
    if (!isAllowed) event.stopImmediatePropagation();
  });
}

/** `stays` returns whether to stay on the page, in which case it has to restore the URL. Returns an unsubscribe function. */
export function askBeforeBack(stays: () => boolean): () => void {
  const listen = (event: Event) => {
    if (stays()) event.preventDefault();
  };
  addEventListener(leaving, listen);
  return () => removeEventListener(leaving, listen);
}
