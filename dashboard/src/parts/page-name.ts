import { createContext, useContext } from 'react';

/** The name of the page in the navigation, for its header and its table. */
export const PageName = createContext('');

export function usePageName(): string {
  return useContext(PageName);
}
