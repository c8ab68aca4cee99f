import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../command-error.ts';
import { compare } from './file-names.ts';
import { isPlainName, writeInto } from './folder.ts';

export const stateFile = '.voice-agents.json';

const text = z.string().max(4096);

const knownAgent = z.object({
  id: text,
  /** When it was last seen to be the same as what is noted here. */
  etag: text,
  /** Of the whole agent as the service had it, by which a list tells that the ETag still holds. */
  document: text,
  /** Of the file's text. */
  file: text,
  /** Of each field, by which it shows what was changed on the service since. */
  fields: z.record(text, text),
  /** Made or changed by an apply, and not published since. */
  awaitsPublish: z.literal(true).optional(),
});

const pendingCreate = z.object({ idempotencyKey: text, since: text });

const workspaceState = z.object({
  service: text,
  workspaceId: text,
  agents: z.record(text, knownAgent),
  pending: z.record(text, pendingCreate).optional(),
});

const stateSchema = z.object({ format: z.literal(1), workspaces: z.array(workspaceState) });

export type KnownAgent = z.infer<typeof knownAgent>;
export type PendingCreate = z.infer<typeof pendingCreate>;

/** What is known of one workspace: which file is which agent, and how both were when they were last the same. */
export interface WorkspaceState {
  readonly service: string;
  readonly workspaceId: string;
  readonly agents: Map<string, KnownAgent>;
  /** Keys of creates that were sent, perhaps, and whose answer was not seen. */
  readonly pending: Map<string, PendingCreate>;
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
    const added = { service, workspaceId, agents: new Map(), pending: new Map() };
    this.#workspaces.push(added);
    return added;
  }

  /** On the disk when it returns. One after the other, so that the last to be written is the newest. */
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
  // It may come from anywhere, like the rest of a repository: it must not lead out of the folder.
  if (!result.success || !names?.every(isPlainName)) {
    throw new CommandError(
      `${path} is not what pull and apply write there: mend it, or remove it and pull, which leaves the files that differ as they are`,
    );
  }
  const workspaces = result.data.workspaces.map(({ agents, pending = {}, ...rest }) => ({
    ...rest,
    agents: new Map(Object.entries(agents)),
    pending: new Map(Object.entries(pending)),
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

/** In an order that depends on nothing but what there is, so that it can be kept under version control. */
function format(workspaces: readonly WorkspaceState[]): string {
  const sorted = workspaces
    .map(({ service, workspaceId, agents, pending }) => ({
      service,
      workspaceId,
      agents: inOrder(agents),
      ...(pending.size === 0 ? {} : { pending: inOrder(pending) }),
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
