import { isDeepStrictEqual } from 'node:util';
import type { AgentFile } from './agent-file.ts';
import { digestOfText } from './agent-file.ts';
import { shortened } from './content.ts';
import { type Format, formatOf, writeText } from './document.ts';
import { compare, nameKey, newFileNames } from './file-names.ts';
import { type Folder, removeFrom, writeInto } from './folder.ts';
import { adoptable, strangersIn } from './plan.ts';
import { forEachAtOnce } from './queue.ts';
import type { WorkspaceState } from './state.ts';
import { fieldsChangedSince, noteOf, type SeenAgent } from './workspace.ts';

export interface PullOptions {
  /** Null keeps that of the folder. */
  readonly format: Format | null;
  readonly isFull: boolean;
  readonly isForced: boolean;
}

/**
 * `kept`: changed here alone, so nothing is lost by leaving it. `conflict`: changed here and there, or deleted there and
 * changed here.
 */
export type PullResult = 'written' | 'unchanged' | 'removed' | 'kept' | 'conflict';

export interface PulledFile {
  readonly file: string;
  readonly id: string;
  readonly name: string | null;
  readonly result: PullResult;
  readonly reason: string | null;
}

const filesAtOnce = 16;

/** Brings the files to what the service has, without losing what was changed in them. */
export async function pullInto(
  folder: Folder,
  state: WorkspaceState,
  seen: ReadonlyMap<string, SeenAgent>,
  options: PullOptions,
): Promise<PulledFile[]> {
  const format = options.format ?? formatOfFolder(folder);
  const names = assignFiles(folder, state, seen, format);
  const fileOf = new Map([...state.agents].map(([file, { id }]) => [id, file]));
  const pulled: PulledFile[] = [];
  await forEachAtOnce([...seen.values()], filesAtOnce, async (one) => {
    const known = fileOf.get(one.agent.id) ?? names.get(one.agent.id);
    if (known !== undefined) pulled.push(await pullAgent(folder, state, one, known, options));
  });
  for (const [file, { id, file: digest }] of [...state.agents]) {
    if (seen.has(id)) continue;
    const local = folder.files.get(file);
    const isChanged = local !== undefined && local.digest !== digest && !options.isForced;
    if (isChanged) {
      const reason = 'it was deleted on the server, and changed here';
      pulled.push({ file, id, name: local.content?.name ?? null, result: 'conflict', reason });
      continue;
    }
    state.agents.delete(file);
    if (local === undefined) continue;
    await removeFrom(folder.path, file);
    pulled.push({ file, id, name: local.content?.name ?? null, result: 'removed', reason: null });
  }
  return pulled.sort((a, b) => compare(a.file, b.file));
}

/** That of most files; YAML where there are none. */
function formatOfFolder({ files }: Folder): Format {
  const count = [...files.keys()].filter((file) => formatOf(file) === 'json').length;
  return count * 2 > files.size ? 'json' : 'yaml';
}

/** Which file an agent has that the state does not know: the one that is about it by its name, or a new one. */
function assignFiles(
  folder: Folder,
  state: WorkspaceState,
  seen: ReadonlyMap<string, SeenAgent>,
  format: Format,
): Map<string, string> {
  const strangers = strangersIn(state, seen);
  const names = new Map<string, string>();
  for (const [file, { agent }] of adoptable(folder.files, state, strangers)) names.set(agent.id, file);
  const rest = strangers.map(({ agent }) => agent).filter(({ id }) => !names.has(id));
  const free = new Set([...names.values(), ...state.agents.keys()].map(nameKey));
  // Of several that have one name, each has the file that it would get in an empty folder, if that is about such an agent.
  for (const [id, file] of newFileNames(rest, `.${format}`, free)) {
    const isAbout = folder.files.get(file)?.content?.name === seen.get(id)?.agent.name;
    if (isAbout && !state.agents.has(file)) names.set(id, file);
  }
  const taken = new Set([...folder.taken, ...[...state.agents.keys()].map(nameKey)]);
  const fresh = rest.filter(({ id }) => !names.has(id));
  return new Map([...names, ...newFileNames(fresh, `.${format}`, taken)]);
}

async function pullAgent(
  folder: Folder,
  state: WorkspaceState,
  { agent, content, etag }: SeenAgent,
  file: string,
  { format, isFull, isForced }: PullOptions,
): Promise<PulledFile> {
  const entry = state.agents.get(file);
  const local = folder.files.get(file);
  const target = format === null || formatOf(file) === format ? file : file.replace(/\.[^.]*$/, `.${format}`);
  const answer = (result: PullResult, reason: string | null = null): PulledFile => ({
    file: result === 'written' ? target : file,
    id: agent.id,
    name: agent.name,
    result,
    reason,
  });
  const isSame = local?.content !== undefined && local.content !== null && isDeepStrictEqual(local.content, content);
  const awaitsPublish = entry?.awaitsPublish === true && !agent.isPublished ? ({ awaitsPublish: true } as const) : {};
  const remember = (name: string, digest: string): void => {
    if (name !== file) state.agents.delete(file);
    state.agents.set(name, { ...noteOf(agent, etag ?? '', digest), ...awaitsPublish });
    state.pending.delete(name);
  };
  const text = writeText(isFull ? content : shortened(content), formatOf(target) as Format);
  // What somebody has written in their own way, with comments, says the same: it stays, unless another form is asked for.
  if (isSame && !isForced && target === file && (!isFull || local.digest === digestOfText(text))) {
    remember(file, local.digest);
    return answer('unchanged');
  }
  const isEdited = local !== undefined && !isSame && local.digest !== entry?.file;
  if (isEdited && !isForced) {
    if (entry !== undefined && fieldsChangedSince(entry, content).length === 0) {
      remember(file, entry.file);
      return answer('kept', 'it was changed here');
    }
    return answer('conflict', whyConflict(entry === undefined, local));
  }
  if (target !== file && folder.taken.has(nameKey(target))) return answer('conflict', `${target} is there already`);
  await writeInto(folder.path, target, text, false);
  if (target !== file) await removeFrom(folder.path, file);
  remember(target, digestOfText(text));
  return answer('written');
}

function whyConflict(isUnknown: boolean, { content }: AgentFile): string {
  if (content === null) return 'it was changed on the server, and the file here is not valid';
  return isUnknown ? 'it differs from the agent of this name on the server' : 'it was changed on the server, and here';
}
