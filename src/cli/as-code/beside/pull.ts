import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { digestOfText } from '../agent-file.ts';
import { type Format, formatOf, writeText } from '../document.ts';
import { removeFrom, writeInto } from '../folder.ts';
import type { PulledFile } from '../pulled-file.ts';
import type { LocalFile } from './local-files.ts';

/** Something on the server that has, or will have, a file. */
export interface Pullable<Content> {
  /** Identifies it in the state. */
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly content: Content;
  /** The digest of what it is on the server. */
  readonly digest: string;
}

export interface PullSource<Content> {
  readonly resources: readonly Pullable<Content>[];
  /** Such as `number`. */
  readonly thing: string;
  readonly entries: Map<string, { readonly content: string; readonly file: string }>;
  readonly localOf: (key: string) => LocalFile<Content> | undefined;
  /** The file of a resource that has none yet, with its directory. */
  readonly newFile: (resource: Pullable<Content>) => string;
  readonly short: (content: Content) => Record<string, unknown>;
  readonly remember: (resource: Pullable<Content>, file: string, digest: string) => void;
}

/** Updates the files to the state of the server, without overwriting local changes. */
export async function pullBeside<Content>(
  folder: string,
  source: PullSource<Content>,
  isForced: boolean,
): Promise<PulledFile[]> {
  const { resources, entries, localOf } = source;
  const pulled: PulledFile[] = [];
  for (const resource of resources) pulled.push(await pullOne(folder, resource, source, isForced));
  const known = new Set(resources.map(({ key }) => key));
  for (const [key, entry] of [...entries]) {
    if (known.has(key)) continue;
    const local = localOf(key);
    const place = { file: local?.file ?? '', id: key, name: key };
    if (local !== undefined && local.digest !== entry.file && !isForced) {
      pulled.push({ ...place, result: 'conflict', reason: 'deleted on the server, but changed locally' });
      continue;
    }
    entries.delete(key);
    if (local === undefined) continue;
    await removeFrom(join(folder, dirname(local.file)), basename(local.file));
    pulled.push({ ...place, result: 'removed', reason: null });
  }
  return pulled;
}

async function pullOne<Content>(
  folder: string,
  resource: Pullable<Content>,
  { thing, entries, localOf, newFile, short, remember }: PullSource<Content>,
  isForced: boolean,
): Promise<PulledFile> {
  const { key, id, name, content, digest } = resource;
  const local = localOf(key);
  const file = local?.file ?? newFile(resource);
  const outcome = (result: PulledFile['result'], reason: string | null = null) => ({ file, id, name, result, reason });
  if (local !== undefined && isDeepStrictEqual(local.content, content)) {
    remember(resource, file, local.digest);
    return outcome('unchanged');
  }
  const entry = entries.get(key);
  if (local !== undefined && local.digest !== entry?.file && !isForced) {
    if (entry?.content === digest) return outcome('kept', 'changed locally');
    return outcome('conflict', `differs from the ${thing} on the server`);
  }
  const text = writeText(short(content), formatOf(file) as Format);
  const directory = join(folder, dirname(file));
  await mkdir(directory, { recursive: true });
  await writeInto(directory, basename(file), text, false);
  remember(resource, file, digestOfText(text));
  return outcome('written');
}
