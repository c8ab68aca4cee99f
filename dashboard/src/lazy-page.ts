import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

const reloadedAt = 'voice-agents-reloaded-at';
const minMsBetween = 10_000;

// biome-ignore lint/suspicious/noExplicitAny: as below.
type LazyPage<Page extends ComponentType<any>> = LazyExoticComponent<Page> & {
  /** Loads it before it is shown. */
  readonly load: () => Promise<Page>;
};

/**
 * A page that is loaded when it is first shown. If the service has been upgraded since the tab was opened, the old chunk
 * no longer exists, and the tab is reloaded to get the new one. It is not reloaded twice in a row, to avoid a loop.
 */
// biome-ignore lint/suspicious/noExplicitAny: pages accept any props their routes pass.
export function lazyPage<Page extends ComponentType<any>>(load: () => Promise<Page>): LazyPage<Page> {
  const page = lazy(async () => {
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
  return Object.assign(page, { load });
}

/**
 * A part of a page that is loaded when it is first shown. The tab is not reloaded if that fails, because what has been
 * entered, or a call in the panel, would be lost: the part is shown in a LazyPart, which offers it.
 */
// biome-ignore lint/suspicious/noExplicitAny: parts accept any props.
export function lazyPart<Part extends ComponentType<any>>(load: () => Promise<Part>): LazyExoticComponent<Part> {
  return lazy(async () => ({ default: await load() }));
}
