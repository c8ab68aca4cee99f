const name = 'voice-agents-key';

/** The key is in the session storage of the tab and nowhere else: gone when the tab is closed, unknown to the next. */
export const storedKey = {
  read: (): string | null => sessionStorage.getItem(name),
  write: (key: string): void => sessionStorage.setItem(name, key),
  remove: (): void => sessionStorage.removeItem(name),
};
