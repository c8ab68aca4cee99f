import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

const reloadedAt = 'voice-agents-reloaded-at';
const minMsBetween = 10_000;

/**
 * A page that is loaded when it is first shown. The service may have been upgraded since the tab was opened, and then has
 * other files: the tab is loaded anew, and has them too. Where that has just been done, it is not what is wrong.
 */
// biome-ignore lint/suspicious/noExplicitAny: pages take whatever their routes give them.
export function lazyPage<Page extends ComponentType<any>>(load: () => Promise<Page>): LazyExoticComponent<Page> {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (error) {
      const last = Number(sessionStorage.getItem(reloadedAt));
      if (Date.now() - last < minMsBetween) throw error;
      sessionStorage.setItem(reloadedAt, String(Date.now()));
      location.reload();
      return await new Promise<never>(() => {});
    }
  });
}
