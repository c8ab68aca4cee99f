import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const head = '// Generated from the files beside it by "npm run generate".\n';

/** Files of `src` that list what is in a folder, before formatting: a new area or migration is found by its files. */
export function sourceLists(root: string): Record<string, string> {
  return {
    'src/contract/index.ts': contractList(root),
    'src/contract/scopes.ts': scopeList(root),
    'src/storage/migrations/index.ts': migrationList(root),
  };
}

interface Listed {
  /** The path of the file, from the folder of the list. */
  readonly path: string;
  readonly name: string;
}

function contractList(root: string): string {
  const listed = areasOf(root, 'index.ts', /export const (\w+Contract)\b/);
  return `${head}${importsOf(listed)}

/** Every area of the public interface, in the order of the reference. New ones are added at the end. */
export const contracts = [${namesOf(listed)}] as const;

type PublicOperation = (typeof contracts)[number]['operations'][number];

/** Every operation of the public API. Operations that are not in this list are not served. */
export const operations: readonly PublicOperation[] = contracts.flatMap<PublicOperation>(
  (contract) => contract.operations,
);

export type OperationId = PublicOperation['id'];
export type OperationWithId<Id extends OperationId> = Extract<PublicOperation, { id: Id }>;
`;
}

function scopeList(root: string): string {
  const listed = areasOf(root, 'scopes.ts', /export const (\w+Scopes)\b/);
  return `${head}${importsOf(listed)}

/**
 * Every scope that a key can hold. An operation requires at most one. Each area has its own in a file without schemas:
 * API keys list the scopes of all areas, and the command line shows them without loading the rest of the contract.
 */
export const scopes = { ${listed.map(({ name }) => `...${name}`).join(', ')} } as const;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes) as Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}
`;
}

function migrationList(root: string): string {
  const folder = join(root, 'src', 'storage', 'migrations');
  const listed = globSync('[0-9]*.ts', { cwd: folder })
    .sort()
    .map((path) => listedIn(folder, path, /export const (\w+): Migration\b/));
  return `${head}import type { Migration } from '../migration.ts';
${importsOf(listed)}

/** In order. A released migration never changes; changes are new migrations. */
export const migrations: readonly Migration[] = [${namesOf(listed)}];
`;
}

/** One for each area that has this file, in the order that the list has now. */
function areasOf(root: string, file: string, pattern: RegExp): Listed[] {
  const folder = join(root, 'src', 'contract');
  const current = readFileSync(join(folder, file), 'utf8');
  const placeOf = (path: string): number => {
    const place = current.lastIndexOf(listedIn(folder, path, pattern).name);
    return place < 0 ? Number.MAX_SAFE_INTEGER : place;
  };
  return globSync(`*/${file}`, { cwd: folder })
    .sort()
    .map((path) => ({ path, place: placeOf(path) }))
    .sort((one, other) => one.place - other.place)
    .map(({ path }) => listedIn(folder, path, pattern));
}

function listedIn(folder: string, path: string, pattern: RegExp): Listed {
  const name = pattern.exec(readFileSync(join(folder, path), 'utf8'))?.[1];
  if (name === undefined) throw new Error(`${join(folder, path)} does not export ${pattern.source}`);
  return { path: path.replaceAll('\\', '/'), name };
}

function importsOf(listed: readonly Listed[]): string {
  return listed
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ path, name }) => `import { ${name} } from './${path}';`)
    .join('\n');
}

function namesOf(listed: readonly Listed[]): string {
  return listed.map(({ name }) => name).join(', ');
}
