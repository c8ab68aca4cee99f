import type { Operation } from '../contract/operation.ts';

export interface Match<Route> {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

interface Entry<Route> {
  readonly method: string;
  /** A name for a parameter, or the very text that has to stand there. */
  readonly segments: readonly { readonly name?: string; readonly text: string }[];
  readonly route: Route;
}

/**
 * Finds the operation for a method and a path. A score of known paths needs no more than this, and a look at each of
 * those with as many segments is quicker than a router that can do everything.
 */
export class Router<Route> {
  readonly #byLength = new Map<number, Entry<Route>[]>();

  add({ method, path }: Pick<Operation, 'method' | 'path'>, route: Route): void {
    const segments = path.split('/').map((text) => {
      const name = /^\{(\w+)\}$/.exec(text)?.[1];
      return name === undefined ? { text } : { text, name };
    });
    const entries = this.#byLength.get(segments.length) ?? [];
    entries.push({ method, segments, route });
    this.#byLength.set(segments.length, entries);
  }

  /** Undefined where nothing fits, also where a parameter is no valid UTF-8. */
  find(method: string, path: string): Match<Route> | undefined {
    const parts = path.split('/');
    for (const entry of this.#byLength.get(parts.length) ?? []) {
      if (entry.method !== method || !fits(entry.segments, parts)) continue;
      const params = paramsOf(entry.segments, parts);
      return params === undefined ? undefined : { route: entry.route, params };
    }
    return undefined;
  }

  methodsFor(path: string): string[] {
    const parts = path.split('/');
    const entries = this.#byLength.get(parts.length) ?? [];
    return entries.filter(({ segments }) => fits(segments, parts)).map(({ method }) => method);
  }
}

type Segments = Entry<unknown>['segments'];

function fits(segments: Segments, parts: readonly string[]): boolean {
  for (let place = 0; place < parts.length; place += 1) {
    const segment = segments[place] as Segments[number];
    if (segment.name === undefined && segment.text !== parts[place]) return false;
  }
  return true;
}

function paramsOf(segments: Segments, parts: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (let place = 0; place < parts.length; place += 1) {
    const name = segments[place]?.name;
    if (name === undefined) continue;
    const part = parts[place] as string;
    try {
      params[name] = part.includes('%') ? decodeURIComponent(part) : part;
    } catch {
      return undefined;
    }
  }
  return params;
}
