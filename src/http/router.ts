import type { Operation } from '../contract/operation.ts';

export interface Match<Route> {
  readonly id: string;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

interface Entry<Route> {
  readonly id: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly route: Route;
}

const noParams = {};

interface FixedEntry<Route> {
  readonly method: string;
  readonly path: string;
  readonly match: Match<Route>;
}

/**
 * Finds the operation for a method and a path: by trying each. There are a score of them, and to look a string up that
 * has just been cut from an address costs more than to compare it with each.
 */
export class Router<Route> {
  readonly #fixed: FixedEntry<Route>[] = [];
  readonly #entries: Entry<Route>[] = [];

  add({ method, path }: Pick<Operation, 'method' | 'path'>, id: string, route: Route): void {
    const names: string[] = [];
    const pattern = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      names.push(name);
      return '([^/]*)';
    });
    this.#entries.push({ id, method, pattern: new RegExp(`^${pattern}$`), names, route });
    if (names.length === 0) this.#fixed.push({ method, path, match: { id, route, params: noParams } });
  }

  /** Undefined where nothing fits, also where a parameter is no valid UTF-8. */
  find(method: string, path: string): Match<Route> | undefined {
    for (const fixed of this.#fixed) if (fixed.path === path && fixed.method === method) return fixed.match;
    for (const { id, method: ownMethod, pattern, names, route } of this.#entries) {
      const values = ownMethod === method ? pattern.exec(path) : null;
      if (values === null) continue;
      const params = paramsOf(names, values);
      return params === undefined ? undefined : { id, route, params };
    }
    return undefined;
  }

  methodsFor(path: string): string[] {
    return this.#entries.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  }
}

function paramsOf(names: readonly string[], values: RegExpExecArray): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [place, name] of names.entries()) {
    const value = values[place + 1] as string;
    try {
      params[name] = value.includes('%') ? decodeURIComponent(value) : value;
    } catch {
      return undefined;
    }
  }
  return params;
}
