import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../failures.ts';
import { compare } from './file-names.ts';
import { isPlainName, writeInto } from './folder.ts';

const stateFile = '.voice-agents.json';

const text = z.string().max(4096);

const knownAgent = z.object({
  id: text,
  /** The ETag when agent and file were last in sync. */
  etag: text,
  /** The digest of the whole agent, to recognize in a list that the ETag is still current. */
  document: text,
  /** The digest of the file's text. */
  file: text,
  /** The digests of the fields, to find out what has changed on the server since. */
  fields: z.record(text, text),
  /** Created or updated by an apply, and not published since. */
  awaitsPublish: z.literal(true).optional(),
});

const pendingCreate = z.object({ idempotencyKey: text, since: text });

const knownNumber = z.object({
  /** The digest of the number on the server when it and its file were last in sync. */
  content: text,
  /** The digest of the file's text. */
  file: text,
});

const knownWorkflow = z.object({
  /** Its file, with the directory. */
  path: text,
  /** The digest of the workflow on the server when it and its file were last in sync. */
  content: text,
  /** The digest of the file's text. */
  file: text,
});

const knownBase = z.object({
  /** The digest of the knowledge base on the server when it and its file were last in sync. */
  content: text,
  /** The digest of the file's text. */
  file: text,
});

const workspaceState = z.object({
  service: text,
  workspaceId: text,
  agents: z.record(text, knownAgent),
  pending: z.record(text, pendingCreate).optional(),
  numbers: z.record(text, knownNumber).optional(),
  workflows: z.record(text, knownWorkflow).optional(),
  knowledge: z.record(text, knownBase).optional(),
});

const stateSchema = z.object({ format: z.literal(1), workspaces: z.array(workspaceState) });

export type KnownAgent = z.infer<typeof knownAgent>;
export type KnownNumber = z.infer<typeof knownNumber>;
export type KnownWorkflow = z.infer<typeof knownWorkflow>;
export type KnownBase = z.infer<typeof knownBase>;
export type PendingCreate = z.infer<typeof pendingCreate>;

/** The state of one workspace: which file belongs to which agent, and what both were when last in sync. */
export interface WorkspaceState {
  readonly service: string;
  readonly workspaceId: string;
  readonly agents: Map<string, KnownAgent>;
  /** Idempotency keys of creates that may have been sent and have no known response. */
  readonly pending: Map<string, PendingCreate>;
  /** The phone numbers that have, or had, a file. */
  readonly numbers: Map<string, KnownNumber>;
  /** The workflows that have, or had, a file, by their ids. */
  readonly workflows: Map<string, KnownWorkflow>;
  /** The knowledge bases that have, or had, a file, by their names. */
  readonly knowledge: Map<string, KnownBase>;
}

export class FolderState {
  readonly #folder: string;
  readonly #workspaces: WorkspaceState[];
  #written: string;
  #saving: Promise<void> = Promise.resolve();

  constructor(folder: string, workspaces: WorkspaceState[], written: string) {
    this.#folder = folder;
    this.#workspaces = workspaces;
    this.#written = written;
  }

  of(service: string, workspaceId: string): WorkspaceState {
    const known = this.#workspaces.find((one) => one.service === service && one.workspaceId === workspaceId);
    if (known !== undefined) return known;
    const beside = { numbers: new Map(), workflows: new Map(), knowledge: new Map() };
    const added = { service, workspaceId, agents: new Map(), pending: new Map(), ...beside };
    this.#workspaces.push(added);
    return added;
  }

  /** Resolves once the state is on disk. Writes are serialized, so that the newest one wins. */
  save(): Promise<void> {
    const saved = this.#saving.then(() => this.#write());
    this.#saving = saved.catch(() => {});
    return saved;
  }

  async #write(): Promise<void> {
    const written = format(this.#workspaces);
    if (written === this.#written) return;
    await writeInto(this.#folder, stateFile, written, true);
    this.#written = written;
  }
}

export async function readState(folder: string): Promise<FolderState> {
  const path = join(folder, stateFile);
  let written: string;
  try {
    written = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new FolderState(folder, [], '');
    throw error;
  }
  const result = stateSchema.safeParse(parsed(written));
  const names = result.data?.workspaces.flatMap(({ agents, pending = {} }) => [
    ...Object.keys(agents),
    ...Object.keys(pending),
  ]);
  // The state is as untrusted as the rest of a repository: its names must not lead out of the directory.
  if (!result.success || !names?.every(isPlainName)) {
    throw new CommandError(
      `${path} is not a valid state file: fix it, or remove it and run "pull", which keeps files that differ`,
    );
  }
  const workspaces = result.data.workspaces.map(({ service, workspaceId, ...rest }) => ({
    service,
    workspaceId,
    agents: new Map(Object.entries(rest.agents)),
    pending: new Map(Object.entries(rest.pending ?? {})),
    numbers: new Map(Object.entries(rest.numbers ?? {})),
    workflows: new Map(Object.entries(rest.workflows ?? {})),
    knowledge: new Map(Object.entries(rest.knowledge ?? {})),
  }));
  return new FolderState(folder, workspaces, written);
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return null;
  }
}

/** In a deterministic order, for version control. */
function format(workspaces: readonly WorkspaceState[]): string {
  const sorted = workspaces
    .map(({ service, workspaceId, agents, pending, numbers, workflows, knowledge }) => ({
      service,
      workspaceId,
      agents: inOrder(agents),
      ...(pending.size === 0 ? {} : { pending: inOrder(pending) }),
      ...(numbers.size === 0 ? {} : { numbers: inOrder(numbers) }),
      ...(workflows.size === 0 ? {} : { workflows: inOrder(workflows) }),
      ...(knowledge.size === 0 ? {} : { knowledge: inOrder(knowledge) }),
    }))
    .sort((a, b) => compare(a.service, b.service) || compare(a.workspaceId, b.workspaceId));
  return `${JSON.stringify({ format: 1, workspaces: sorted }, null, 2)}\n`;
}

function inOrder<T>(entries: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => compare(a, b)));
}

export function newPendingCreate(now: number): PendingCreate {
  return { idempotencyKey: `as-code-${randomUUID()}`, since: new Date(now).toISOString() };
}
