const name = 'voice-agents-key';

/** The key is kept in the session storage only: it is gone when the tab is closed. Other tabs can ask for it: see tabs.ts. */
export const storedKey = {
  read: (): string | null => sessionStorage.getItem(name),
  write: (key: string): void => sessionStorage.setItem(name, key),
  remove: (): void => sessionStorage.removeItem(name),
};
