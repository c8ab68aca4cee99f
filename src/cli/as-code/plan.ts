import type { Agent } from '../../../sdk/src/index.ts';
import type { AgentFile } from './agent-file.ts';
import { changesBetween, type FieldChange, patchBetween } from './changes.ts';
import type { Content } from './content.ts';
import { compare } from './file-names.ts';
import type { KnownAgent, WorkspaceState } from './state.ts';
import { fieldsChangedSince, type SeenAgent } from './workspace.ts';

/** How long the service saves responses for an Idempotency-Key, minus an hour for clock skew. */
const savedResponseTtlMs = 23 * 3_600_000;

export type Action = 'create' | 'update' | 'publish' | 'delete' | 'none';

/** A change on the server since the state was written. */
export interface Drift {
  /** The changed fields; empty if only metadata changed, such as the publishing state. */
  readonly fields: readonly string[];
  readonly isDeleted: boolean;
}

export interface PlannedItem {
  readonly file: string;
  readonly name: string;
  readonly action: Action;
  /** The id of the agent on the server; null if there is none. */
  readonly id: string | null;
  /** The ETag to send as `If-Match`. */
  readonly etag: string | null;
  /** The content of the file; null if it was removed. */
  readonly content: Content | null;
  readonly fileDigest: string | null;
  /** The agent on the server; null if there is none. */
  readonly seen: SeenAgent | null;
  readonly changes: readonly FieldChange[];
  readonly patch: Readonly<Record<string, unknown>>;
  readonly drift: Drift | null;
  /** The ids of unmanaged agents with the same name. */
  readonly namesakes: readonly string[];
  /** Why apply skips it. */
  readonly obstacle: string | null;
  readonly isConflict: boolean;
  readonly publishes: boolean;
  /** Changed by an earlier apply and still a draft. */
  readonly awaitsPublish: boolean;
}

export interface Plan {
  readonly items: readonly PlannedItem[];
  /** Agents on the server without a file. */
  readonly unmanaged: readonly Agent[];
}

export interface PlanOptions {
  /** Links a new file to the existing agent with the same name. */
  readonly adopt?: boolean;
  readonly delete?: boolean;
  readonly force?: boolean;
  readonly publish?: boolean;
}

export interface PlanInput {
  readonly files: ReadonlyMap<string, AgentFile>;
  readonly state: WorkspaceState;
  /** In order of creation, with an ETag for every agent that may be changed. */
  readonly seen: ReadonlyMap<string, SeenAgent>;
  readonly options: PlanOptions;
  readonly now: number;
}

const nothing = {
  id: null,
  etag: null,
  content: null,
  fileDigest: null,
  seen: null,
  changes: [],
  patch: {},
  drift: null,
  namesakes: [],
  obstacle: null,
  isConflict: false,
  publishes: false,
  awaitsPublish: false,
} as const;

/** Computes the changes that bring the workspace in line with the files. Has no side effects. */
export function makePlan(input: PlanInput): Plan {
  const { files, state, seen, options } = input;
  const unmanaged = unmanagedIn(state, seen);
  const adopted = options.adopt === true ? adoptable(files, state, unmanaged) : new Map<string, SeenAgent>();
  const items: PlannedItem[] = [];
  for (const file of files.values()) {
    if (file.content === null) continue;
    const entry = state.agents.get(file.file);
    const found = entry === undefined ? adopted.get(file.file) : seen.get(entry.id);
    if (found !== undefined) items.push(planUpdate(file, file.content, entry, found, options));
    else items.push(planCreate(file, file.content, entry, unmanaged, input));
  }
  for (const [file, entry] of state.agents) {
    const found = seen.get(entry.id);
    if (!files.has(file) && found !== undefined) items.push(planDelete(file, entry, found, options));
  }
  const taken = new Set([...adopted.values()].map(({ agent }) => agent.id));
  return {
    items: items.sort((a, b) => compare(a.file, b.file)),
    unmanaged: unmanaged.map(({ agent }) => agent).filter(({ id }) => !taken.has(id)),
  };
}

/** The agents without a file. */
export function unmanagedIn(state: WorkspaceState, seen: ReadonlyMap<string, SeenAgent>): SeenAgent[] {
  const known = new Set([...state.agents.values()].map(({ id }) => id));
  return [...seen.values()].filter(({ agent }) => !known.has(agent.id));
}

/** Pairs each new file with the agent of the same name, if both are unique. */
export function adoptable(
  files: ReadonlyMap<string, AgentFile>,
  state: WorkspaceState,
  unmanaged: readonly SeenAgent[],
): Map<string, SeenAgent> {
  const newFiles = [...files.values()].filter(({ file }) => !state.agents.has(file));
  const agentsByName = uniqueBy(unmanaged, ({ agent }) => agent.name);
  const pairs: [string, SeenAgent][] = [];
  for (const [name, { file }] of uniqueBy(newFiles, ({ content }) => content?.name)) {
    const found = agentsByName.get(name);
    if (found !== undefined) pairs.push([file, found]);
  }
  return new Map(pairs);
}

function planUpdate(
  { file, digest }: AgentFile,
  content: Content,
  entry: KnownAgent | undefined,
  seen: SeenAgent,
  { force = false, publish = false }: PlanOptions,
): PlannedItem {
  const { agent, etag } = seen;
  const changes = changesBetween(seen.content, content);
  const drift = driftOf(entry, seen);
  const result = patchBetween(seen.content, content);
  const isChanged = changes.length > 0;
  const awaitsPublish = !agent.isPublished && entry?.awaitsPublish === true;
  const isOverwriting = isChanged && drift !== null && drift.fields.length > 0;
  const known = { id: agent.id, etag, content, fileDigest: digest, seen, drift, awaitsPublish };
  const base = { ...nothing, ...known, file, name: content.name };
  const publishes = publish && awaitsPublish;
  if (!isChanged) return { ...base, action: publishes ? 'publish' : 'none', publishes };
  const obstacle =
    'impossible' in result
      ? result.impossible
      : isOverwriting && !force
        ? 'changed on the server since the last pull: run "pull" to get the changes, or use --force to overwrite them'
        : null;
  return {
    ...base,
    action: 'update',
    changes,
    patch: 'patch' in result ? result.patch : {},
    obstacle,
    isConflict: obstacle !== null && isOverwriting,
    publishes: publish,
  };
}

function driftOf(entry: KnownAgent | undefined, { etag, content }: SeenAgent): Drift | null {
  if (entry === undefined || entry.etag === etag) return null;
  return { fields: fieldsChangedSince(entry, content), isDeleted: false };
}

function planCreate(
  { file, digest }: AgentFile,
  content: Content,
  entry: KnownAgent | undefined,
  unmanaged: readonly SeenAgent[],
  { state, options, now }: PlanInput,
): PlannedItem {
  const namesakes = unmanaged.filter(({ agent }) => agent.name === content.name).map(({ agent }) => agent.id);
  const pending = state.pending.get(file);
  const isOld = pending !== undefined && now - Date.parse(pending.since) > savedResponseTtlMs;
  const drift = entry === undefined ? null : { fields: [], isDeleted: true };
  let obstacle: string | null = null;
  if (options.force !== true) {
    if (drift !== null) obstacle = 'deleted on the server since the last pull: use --force to create it again';
    else if (isOld && namesakes.length > 0)
      obstacle = 'an interrupted apply may have created it: use --adopt to link it, or --force to create another one';
    else if (options.adopt === true && namesakes.length > 0)
      obstacle = 'several files or agents have this name: --adopt cannot match them';
  }
  return {
    ...nothing,
    file,
    name: content.name,
    action: 'create',
    content,
    fileDigest: digest,
    changes: changesBetween({}, content),
    drift,
    // After an interrupted apply it may be our own agent, which the service recognizes by the idempotency key.
    namesakes: pending === undefined || isOld ? namesakes : [],
    obstacle,
    isConflict: obstacle !== null,
    publishes: options.publish === true,
  };
}

function planDelete(
  file: string,
  entry: KnownAgent,
  seen: SeenAgent,
  { delete: isDeleting = false, force = false }: PlanOptions,
): PlannedItem {
  const drift = driftOf(entry, seen);
  const isOverwriting = drift !== null && drift.fields.length > 0 && isDeleting && !force;
  return {
    ...nothing,
    file,
    name: seen.agent.name,
    id: entry.id,
    etag: seen.etag,
    seen,
    drift,
    action: isDeleting ? 'delete' : 'none',
    obstacle: isOverwriting ? 'changed on the server since the last pull: use --force to delete it' : null,
    isConflict: isOverwriting,
  };
}

/**
 * Detects renamed files by their content, or by the agent name if it is unique, and moves their state along. Otherwise a
 * rename would look like one agent to delete and another to create.
 */
export function followRenamedFiles(
  state: WorkspaceState,
  files: ReadonlyMap<string, AgentFile>,
  seen: ReadonlyMap<string, SeenAgent>,
): void {
  const unknown = (): AgentFile[] => [...files.values()].filter(({ file }) => !state.agents.has(file));
  const missing = (): [string, KnownAgent][] => [...state.agents].filter(([file]) => !files.has(file));
  const move = (from: string, entry: KnownAgent, to: string): void => {
    state.agents.delete(from);
    state.agents.set(to, entry);
  };
  for (const [file, entry] of missing()) {
    const same = unknown().find(({ digest }) => digest === entry.file);
    if (same !== undefined) move(file, entry, same.file);
  }
  const byName = uniqueBy(unknown(), ({ content }) => content?.name);
  const missingByName = uniqueBy(missing(), ([, { id }]) => seen.get(id)?.agent.name);
  for (const [name, [file, entry]] of missingByName) {
    const found = byName.get(name);
    if (found !== undefined) move(file, entry, found.file);
  }
}

/** The items whose name is unique. */
function uniqueBy<T>(items: Iterable<T>, nameOf: (item: T) => string | undefined): Map<string, T> {
  const groups = [...Map.groupBy(items, nameOf)];
  return new Map(
    groups.flatMap(([name, [first, second]]) =>
      name === undefined || second !== undefined ? [] : [[name, first as T] as const],
    ),
  );
}
