import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Agent, KnowledgeBase } from '../../../sdk/src/index.ts';
import { forEachConcurrently } from '../concurrency.ts';
import type { CommandOptions } from '../connection/connection.ts';
import { type CommandContext, paint } from '../context.ts';
import { exitCodes } from '../failures.ts';
import { createProgress } from '../terminal/progress.ts';
import { visible } from '../terminal/text.ts';
import { type AgentFile, digestOfText } from './agent-file.ts';
import { shortened } from './content.ts';
import { type Format, formatOf, writeText } from './document.ts';
import { compare, nameKey, newFileNames } from './file-names.ts';
import { type Folder, readFolder, removeFrom, withLockedFolder, writeInto } from './folder.ts';
import { withBaseIds, withBaseNames } from './knowledge/names.ts';
import { readBases } from './knowledge/plan.ts';
import { pullBases } from './knowledge/pull.ts';
import { readNumbers } from './numbers/plan.ts';
import { pullNumbers } from './numbers/pull.ts';
import { adoptable, followRenamedFiles, unmanagedIn } from './plan.ts';
import type { PulledFile, PullResult } from './pulled-file.ts';
import { describeWorkspace } from './report.ts';
import { readState, type WorkspaceState } from './state.ts';
import { readWorkflows } from './workflows/plan.ts';
import { pullWorkflows } from './workflows/pull.ts';
import { readWorkflowFiles } from './workflows/workflow-file.ts';
import {
  fieldsChangedSince,
  listAgents,
  noteOf,
  openWorkspace,
  type SeenAgent,
  type Workspace,
  withTags,
} from './workspace.ts';

interface PullCommandOptions extends CommandOptions {
  readonly format?: Format;
  readonly full?: boolean;
  readonly force?: boolean;
}

export async function runPull(path: string, options: PullCommandOptions, context: CommandContext): Promise<void> {
  const { environment, stdout, stderr, setExitCode } = context;
  const workspace = await openWorkspace(options, environment);
  const { client } = workspace;
  const progress = createProgress('Pulling', stderr);
  await withLockedFolder(path, async () => {
    const folderState = await readState(path);
    const state = folderState.of(workspace.service, workspace.id);
    const agents = await listAgents(client);
    try {
      const seen = await withTags(client, agents, state, () => true, progress.show);
      const folder = await readFolder(path);
      followRenamedFiles(state, folder.files, seen);
      const { format = null, full = false, force = false } = options;
      const bases = workspace.hasKnowledge ? (await readBases(client, [])).bases : [];
      const agentFiles = await pullInto(folder, state, seen, { format, isFull: full, isForced: force, bases });
      const numberOptions = { format: format ?? formatOfFolder(folder), isForced: force };
      const numberFiles = workspace.hasNumbers
        ? await pullNumbers(path, await readNumbers(client), state, numberOptions)
        : [];
      const workflowFiles = workspace.hasWorkflows
        ? await pullWorkflowsInto(path, agents, state, workspace, numberOptions)
        : [];
      const baseFiles = workspace.hasKnowledge ? await pullBases(path, bases, state, numberOptions) : [];
      const files = [...agentFiles, ...baseFiles, ...numberFiles, ...workflowFiles];
      progress.end();
      const { service, id, name } = workspace;
      stdout.write(
        options.json
          ? `${JSON.stringify({ workspace: { service, id, name }, files })}\n`
          : describePulled(files, workspace, path, stdout),
      );
      if (files.some(({ result }) => result === 'conflict')) setExitCode(exitCodes.conflict);
    } finally {
      progress.end();
      await folderState.save();
    }
  });
}

async function pullWorkflowsInto(
  folder: string,
  agents: readonly Agent[],
  state: WorkspaceState,
  { client, hasNumbers }: Workspace,
  options: { readonly format: Format; readonly isForced: boolean },
): Promise<PulledFile[]> {
  const files = await readWorkflowFiles(folder);
  return pullWorkflows({
    folder,
    files,
    agents,
    state,
    ...(await readWorkflows(client, files, hasNumbers)),
    ...options,
  });
}

interface PullOptions {
  /** Null keeps the format of the directory. */
  readonly format: Format | null;
  readonly isFull: boolean;
  readonly isForced: boolean;
  /** Agents name them by their names. */
  readonly bases?: readonly KnowledgeBase[];
}

const maxFilesInFlight = 16;

/** Updates the files to the state of the server, without overwriting local changes. */
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
  await forEachConcurrently([...seen.values()], maxFilesInFlight, async (one) => {
    const known = fileOf.get(one.agent.id) ?? names.get(one.agent.id);
    if (known !== undefined) pulled.push(await pullAgent(folder, state, one, known, options));
  });
  for (const [file, { id, file: digest }] of [...state.agents]) {
    if (seen.has(id)) continue;
    const local = folder.files.get(file);
    const isChanged = local !== undefined && local.digest !== digest && !options.isForced;
    if (isChanged) {
      const reason = 'deleted on the server, but changed locally';
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

/** The format of most files; YAML in an empty directory. */
function formatOfFolder({ files }: Folder): Format {
  const count = [...files.keys()].filter((file) => formatOf(file) === 'json').length;
  return count * 2 > files.size ? 'json' : 'yaml';
}

/** Finds a file for each agent that is not in the state: a file with a matching agent name, or a new one. */
function assignFiles(
  folder: Folder,
  state: WorkspaceState,
  seen: ReadonlyMap<string, SeenAgent>,
  format: Format,
): Map<string, string> {
  const unmanaged = unmanagedIn(state, seen);
  const names = new Map<string, string>();
  for (const [file, { agent }] of adoptable(folder.files, state, unmanaged)) names.set(agent.id, file);
  const rest = unmanaged.map(({ agent }) => agent).filter(({ id }) => !names.has(id));
  const free = new Set([...names.values(), ...state.agents.keys()].map(nameKey));
  // Agents with the same name get the file they would get in an empty directory, if that file has the same agent name.
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
  { format, isFull, isForced, bases = [] }: PullOptions,
): Promise<PulledFile> {
  const entry = state.agents.get(file);
  const local = folder.files.get(file);
  const target = format === null || formatOf(file) === format ? file : file.replace(/\.[^.]*$/, `.${format}`);
  const outcome = (result: PullResult, reason: string | null = null): PulledFile => ({
    file: result === 'written' ? target : file,
    id: agent.id,
    name: agent.name,
    result,
    reason,
  });
  const isSame =
    local !== undefined && local.content !== null && isDeepStrictEqual(withBaseIds(local.content, bases), content);
  const awaitsPublish = entry?.awaitsPublish === true && !agent.isPublished ? ({ awaitsPublish: true } as const) : {};
  const remember = (name: string, digest: string): void => {
    if (name !== file) state.agents.delete(file);
    state.agents.set(name, { ...noteOf(agent, etag ?? '', digest), ...awaitsPublish });
    state.pending.delete(name);
  };
  const named = withBaseNames(content, bases);
  const text = writeText(isFull ? named : shortened(named), formatOf(target) as Format);
  // Same content, possibly with comments and custom formatting: keep it, unless another format was requested.
  if (isSame && !isForced && target === file && (!isFull || local.digest === digestOfText(text))) {
    remember(file, local.digest);
    return outcome('unchanged');
  }
  const isEdited = local !== undefined && !isSame && local.digest !== entry?.file;
  if (isEdited && !isForced) {
    if (entry !== undefined && fieldsChangedSince(entry, content).length === 0) {
      remember(file, entry.file);
      return outcome('kept', 'changed locally');
    }
    return outcome('conflict', whyConflict(entry === undefined, local));
  }
  if (target !== file && folder.taken.has(nameKey(target))) return outcome('conflict', `${target} already exists`);
  await writeInto(folder.path, target, text, false);
  if (target !== file) await removeFrom(folder.path, file);
  remember(target, digestOfText(text));
  return outcome('written');
}

function whyConflict(isUnknown: boolean, { content }: AgentFile): string {
  if (content === null) return 'changed on the server, but the local file is invalid';
  return isUnknown ? 'differs from the agent with this name on the server' : 'changed both on the server and locally';
}

const pullVerbs = ['written', 'unchanged', 'removed', 'kept'] as const satisfies readonly PullResult[];

function describePulled(
  files: readonly PulledFile[],
  workspace: Workspace,
  folder: string,
  stream: NodeJS.WriteStream,
) {
  const counts = pullVerbs
    .map((verb) => [verb, files.filter(({ result }) => result === verb).length] as const)
    .filter(([verb, count]) => count > 0 || verb === 'written')
    .map(([verb, count]) => `${count} ${verb}`);
  const line = ({ file, reason }: PulledFile) => `  ${visible(join(folder, file))}: ${reason}\n`;
  const kept = files.filter(({ result }) => result === 'kept').map(line);
  const conflicts = files.filter(({ result }) => result === 'conflict').map(line);
  const head = `${describeWorkspace(workspace)} → ${visible(folder)}: ${counts.join(', ')}.\n`;
  const keptText = kept.length === 0 ? '' : `Kept with local changes that are not applied yet:\n${kept.join('')}`;
  if (conflicts.length === 0) return `${head}${keptText}`;
  const title = paint(
    'red',
    `Conflicts, not pulled: ${conflicts.length} (use --force to overwrite with the server version)`,
    stream,
  );
  return `${head}${keptText}${title}\n${conflicts.join('')}`;
}
