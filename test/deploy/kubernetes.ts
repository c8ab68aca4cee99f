import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

export const folder = new URL('../../deploy/kubernetes/', import.meta.url);

export const readManifest = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes check what is in it.
  readonly spec: any;
}

export function manifestsIn(file: string): Manifest[] {
  return parseAllDocuments(readManifest(file)).map((document) => document.toJS());
}

/** The variables in a file for a generator of kustomize. */
export function variablesIn(file: string): Record<string, string> {
  const lines = readManifest(file)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/**
 * What the schemas of Kubernetes say against a manifest. They allow unknown fields, which the API server does not, so
 * those that the validation never looks at are issues, too.
 */
export async function issuesOf(manifest: Manifest): Promise<string[]> {
  const module = await import(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`);
  const issues: string[] = [];
  const { value, unread } = noted(manifest, '');
  try {
    module[manifest.kind].prototype.validate.call(value);
  } catch (error) {
    issues.push((error as Error).message);
  }
  return [...issues, ...unread().map((path) => `${path} is unknown`)];
}

/** The same value, which knows what of it was never read. */
function noted(given: object, path: string): { value: object; unread: () => string[] } {
  const read = new Map<string, (() => string[]) | null>();
  const wrapped = new Map<string, object>();
  const value = new Proxy(given, {
    get: (target, name, receiver) => {
      const found = Reflect.get(target, name, receiver);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return found;
      if (typeof found !== 'object' || found === null) {
        read.set(name, null);
        return found;
      }
      const known = wrapped.get(name);
      if (known !== undefined) return known;
      const inner = noted(found, `${path}/${name}`);
      read.set(name, inner.unread);
      wrapped.set(name, inner.value);
      return inner.value;
    },
  });
  return {
    value,
    unread: () =>
      Object.keys(given).flatMap((name) => (read.has(name) ? (read.get(name)?.() ?? []) : [`${path}/${name}`])),
  };
}
