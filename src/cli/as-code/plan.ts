import type { Agent } from '../../../sdk/src/index.ts';
import type { AgentFile } from './agent-file.ts';
import { changesBetween, type FieldChange, patchBetween } from './changes.ts';
import type { Content } from './content.ts';
import { compare } from './file-names.ts';
import { uniqueBy } from './matching.ts';
import type { KnownAgent, WorkspaceState } from './state.ts';
import { fieldsChangedSince, type SeenAgent } from './workspace.ts';

/** For how long the service knows a repeat by its Idempotency-Key, with an hour for clocks that differ. */
const keptAnswersMs = 23 * 3_600_000;

export interface PlanOptions {
  /** Takes the one agent of a file's name for the agent of that file. */
  readonly adopt?: boolean;
  readonly delete?: boolean;
  readonly force?: boolean;
  readonly publish?: boolean;
}

export type Action = 'create' | 'update' | 'publish' | 'delete' | 'none';

/** Changed on the service since the state was noted. */
export interface Drift {
  /** The fields that changed; none where only something around them did, such as who published it. */
  readonly fields: readonly string[];
  readonly isDeleted: boolean;
}

export interface PlannedItem {
  readonly file: string;
  readonly name: string;
  readonly action: Action;
  /** Of the agent on the service; null where there is none. */
  readonly id: string | null;
  /** Under which it is changed. */
  readonly etag: string | null;
  /** What the file says; null where it is gone. */
  readonly content: Content | null;
  readonly fileDigest: string | null;
  /** What the service has; null where it has nothing. */
  readonly seen: SeenAgent | null;
  readonly changes: readonly FieldChange[];
  readonly patch: Readonly<Record<string, unknown>>;
  readonly drift: Drift | null;
  /** Others of the same name that no file knows. */
  readonly namesakes: readonly string[];
  /** Why an apply leaves it alone. */
  readonly obstacle: string | null;
  readonly isConflict: boolean;
  readonly publishes: boolean;
  /** Changed by an apply before this one, and a draft still. */
  readonly awaitsPublish: boolean;
}

export interface Plan {
  readonly items: readonly PlannedItem[];
  /** On the service, and in no file. */
  readonly strangers: readonly Agent[];
}

export interface PlanInput {
  readonly files: ReadonlyMap<string, AgentFile>;
  readonly state: WorkspaceState;
  /** In the order of creation, with an ETag for whatever may be changed. */
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

/** What has to be done so that the workspace is what the files say. Nothing is sent or written. */
export function makePlan(input: PlanInput): Plan {
  const { files, state, seen, options } = input;
  const strangers = strangersIn(state, seen);
  const adopted = options.adopt === true ? adoptable(files, state, strangers) : new Map<string, SeenAgent>();
  const items: PlannedItem[] = [];
  for (const file of files.values()) {
    if (file.content === null) continue;
    const entry = state.agents.get(file.file);
    const found = entry === undefined ? adopted.get(file.file) : seen.get(entry.id);
    if (found !== undefined) items.push(planUpdate(file, file.content, entry, found, options));
    else items.push(planCreate(file, file.content, entry, strangers, input));
  }
  for (const [file, entry] of state.agents) {
    const found = seen.get(entry.id);
    if (!files.has(file) && found !== undefined) items.push(planDelete(file, entry, found, options));
  }
  const taken = new Set([...adopted.values()].map(({ agent }) => agent.id));
  return {
    items: items.sort((a, b) => compare(a.file, b.file)),
    strangers: strangers.map(({ agent }) => agent).filter(({ id }) => !taken.has(id)),
  };
}

/** The agents that no file knows. */
export function strangersIn(state: WorkspaceState, seen: ReadonlyMap<string, SeenAgent>): SeenAgent[] {
  const known = new Set([...state.agents.values()].map(({ id }) => id));
  return [...seen.values()].filter(({ agent }) => !known.has(agent.id));
}

/** The one agent of a name for the one file of that name. */
export function adoptable(
  files: ReadonlyMap<string, AgentFile>,
  state: WorkspaceState,
  strangers: readonly SeenAgent[],
): Map<string, SeenAgent> {
  const newFiles = [...files.values()].filter(({ file }) => !state.agents.has(file));
  const agentsByName = uniqueBy(strangers, ({ agent }) => agent.name);
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
        ? 'it was changed on the server since the pull: "pull" takes that, --force overwrites it'
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
  strangers: readonly SeenAgent[],
  { state, options, now }: PlanInput,
): PlannedItem {
  const namesakes = strangers.filter(({ agent }) => agent.name === content.name).map(({ agent }) => agent.id);
  const pending = state.pending.get(file);
  const isOld = pending !== undefined && now - Date.parse(pending.since) > keptAnswersMs;
  const drift = entry === undefined ? null : { fields: [], isDeleted: true };
  let obstacle: string | null = null;
  if (options.force !== true) {
    if (drift !== null) obstacle = 'it was deleted on the server since the pull: --force makes it anew';
    else if (isOld && namesakes.length > 0)
      obstacle = 'an apply that did not end may have made it: --adopt takes it, --force makes another';
    else if (options.adopt === true && namesakes.length > 0)
      obstacle = 'there are several files or agents of this name: --adopt cannot tell which is which';
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
    // Where an earlier apply was cut off it may be its own, which the service then knows by the key.
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
    obstacle: isOverwriting ? 'it was changed on the server since the pull: --force deletes it' : null,
    isConflict: isOverwriting,
  };
}
