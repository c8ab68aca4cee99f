/** `npm run check`: which folder of `src` may import which. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const kernel = ['config', 'net', 'workers', 'storage', 'jobs', 'http', 'changes', 'process'];

/** From each part of `src` to the parts that it may import. Whatever is not in this table may import everything. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  core: ['contract'],
  net: ['contract', 'core'],
  config: ['contract', 'core', 'net'],
  workers: ['core'],
  storage: ['contract', 'core', 'config', 'workers'],
  jobs: ['contract', 'core', 'storage'],
  http: ['contract', 'core', 'net', 'config', 'storage'],
  changes: ['contract', 'core', 'storage', 'http', 'jobs'],
  process: ['contract', 'core', 'config', 'jobs', 'http'],
  voice: ['contract', 'core', 'net', 'workers'],
  tracing: ['contract', 'core', 'config', 'http', 'voice'],
  areas: ['contract', 'core', 'voice', 'tracing', ...kernel],
  backup: ['storage'],
  // It knows the contract and the SDK, and nothing of the service behind them.
  mcp: ['contract'],
};

/**
 * From each folder of an area to the folders of the same area that it may import. The files next to these folders may
 * import all of them, and none of the folders may import those files.
 */
const foldersOfAreas: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  calls: {
    record: [],
    listing: ['record'],
    conversation: ['record'],
    lifecycle: ['conversation', 'record'],
    'channels/text': ['lifecycle', 'conversation', 'record'],
    'channels/audio': ['lifecycle', 'conversation', 'record'],
    'channels/page': ['channels/text', 'channels/audio', 'lifecycle', 'conversation', 'record'],
    'channels/phone': ['channels/audio', 'lifecycle', 'conversation', 'record'],
  },
};

export interface SourceFile {
  /** From the root of the repository, such as `src/core/ids.ts`. */
  readonly path: string;
  readonly text: string;
}

/** One line for each import that is not allowed. */
export function forbiddenImports(files: Iterable<SourceFile>): string[] {
  return [...files].flatMap(({ path, text }) =>
    importsIn(text).flatMap((specifier) => {
      const target = posix.normalize(posix.join(posix.dirname(path), specifier));
      const reason = target.startsWith('src/') ? reasonAgainst(path, target) : null;
      return reason === null ? [] : [`${path} imports ${target}: ${reason}`];
    }),
  );
}

function reasonAgainst(path: string, target: string): string | null {
  const [from, to] = [partOf(path), partOf(target)];
  if (from === to) return from === 'areas' ? reasonBetweenAreas(path, target) : null;
  const parts = allowed[from];
  return parts === undefined || parts.includes(to) ? null : `${from} may import ${parts.join(', ') || 'no other part'}`;
}

function reasonBetweenAreas(path: string, target: string): string | null {
  const [area, other] = [path, target].map((each) => each.split('/')[2]);
  // What an area is, for all of them.
  if (other === 'area.ts') return null;
  if (area === other) return reasonWithinArea(path, target);
  return 'areas do not import each other: app-areas.ts passes functions in';
}

function reasonWithinArea(path: string, target: string): string | null {
  const [, , area = ''] = path.split('/');
  const folders = foldersOfAreas[area];
  if (folders === undefined) return null;
  const [from, to] = [path, target].map((each) =>
    Object.keys(folders).find((name) => each.startsWith(`src/areas/${area}/${name}/`)),
  );
  const isBeside = path.split('/').length === 4;
  if (from === undefined) return isBeside ? null : `the order of this folder is not in the table of ${area}`;
  if (from === to || (to !== undefined && folders[from]?.includes(to))) return null;
  return `${area}/${from} may import ${folders[from]?.join(', ') || 'no other folder of the area'}`;
}

/** The folder in `src`, or the file: `config.ts` and `config-values.ts` are one part. */
function partOf(path: string): string {
  const [, name = ''] = path.split('/');
  return name.startsWith('config') ? 'config' : name;
}

function importsIn(text: string): string[] {
  const relative = /(?:\bfrom|\bimport|new URL\()\s*\(?\s*'(\.{1,2}\/[^']+\.ts)'/g;
  return [...text.matchAll(relative)].map(([, specifier]) => specifier as string);
}

export function sourceFiles(root: string): SourceFile[] {
  return globSync('src/**/*.ts', { cwd: root }).map((path) => ({
    path: path.replaceAll('\\', '/'),
    text: readFileSync(`${root}/${path}`, 'utf8'),
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const forbidden = forbiddenImports(sourceFiles(dirname(dirname(import.meta.dirname))));
  for (const line of forbidden) process.stderr.write(`${line}\n`);
  process.exitCode = forbidden.length === 0 ? 0 : 1;
}
