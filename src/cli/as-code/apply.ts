import { isDeepStrictEqual } from 'node:util';
import {
  type Agent,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type CreateAgent,
  InternalServerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type UpdateAgent,
  type VoiceAgents,
} from '../../../sdk/src/index.ts';
import { forEachConcurrently } from '../concurrency.ts';
import { patchBetween } from './changes.ts';
import { type Content, contentOf } from './content.ts';
import { inOrderOfCreation } from './file-names.ts';
import type { Action, Plan, PlannedItem } from './plan.ts';
import { newPendingCreate, type WorkspaceState } from './state.ts';
import { maxRequestsInFlight, noteOf, readAgent } from './workspace.ts';

export interface ApplyInput {
  readonly client: VoiceAgents;
  readonly plan: Plan;
  readonly state: WorkspaceState;
  /** Writes the state to disk. */
  readonly save: () => Promise<void>;
  readonly description: string | undefined;
  readonly now: () => number;
  readonly onProgress: (done: number, total: number) => void;
  /** Whether to stop starting new requests. */
  readonly isStopped: () => boolean;
}

export interface Outcome {
  readonly item: PlannedItem;
  readonly id: string | null;
  /** The completed actions. */
  readonly done: readonly Action[];
  /** Why it failed or is incomplete. */
  readonly failure: { readonly error: unknown } | 'obstacle' | 'not started' | null;
}

interface Written {
  readonly agent: Agent;
  readonly etag: string | null;
}

/** The minimum interval between writes of the state. */
const saveEveryMs = 250;

/** Executes the plan. A failure does not stop the rest, unless it would affect every request. */
export async function applyPlan(input: ApplyInput): Promise<Outcome[]> {
  const { plan, state, save, now, onProgress } = input;
  const wanted = plan.items.filter(({ action }) => action !== 'none');
  const doable = wanted.filter(({ obstacle }) => obstacle === null);
  const outcomes = new Map<string, Outcome>();
  const repeated = new Set(state.pending.keys());
  for (const { action, file } of doable) {
    if (action === 'create' && !repeated.has(file)) state.pending.set(file, newPendingCreate(now()));
  }
  noteUnchanged(plan, state);
  // Saved before the first create, so that a rerun sends the same idempotency keys even if this run is killed.
  await save();
  const saver = throttled(save);
  let isHopeless = false;
  const chains = [
    ...inOrderOfCreation(doable.filter(({ action }) => action === 'create')),
    ...doable.filter(({ action }) => action !== 'create').map((item) => [item]),
  ];
  try {
    await forEachConcurrently(chains, maxRequestsInFlight, async (chain) => {
      for (const item of chain) {
        if (isHopeless || input.isStopped()) return;
        const outcome = await applyItem(item, input, repeated.has(item.file));
        outcomes.set(item.file, outcome);
        if (isForAll(outcome.failure)) isHopeless = true;
        onProgress(outcomes.size, doable.length);
        await saver();
      }
    });
  } finally {
    await save();
  }
  return wanted.map(
    (item) =>
      outcomes.get(item.file) ?? {
        item,
        id: item.id,
        done: [],
        failure: item.obstacle === null ? 'not started' : 'obstacle',
      },
  );
}

/** Refreshes the state of files that already match the server. */
function noteUnchanged({ items }: Plan, state: WorkspaceState): void {
  for (const { action, content, seen, file, fileDigest } of items) {
    if (action !== 'none' || content === null || seen === null || seen.etag === null || fileDigest === null) continue;
    const awaitsPublish = state.agents.get(file)?.awaitsPublish === true && !seen.agent.isPublished;
    note(state, file, seen.agent, seen.etag, fileDigest, awaitsPublish);
  }
}

function note(
  state: WorkspaceState,
  file: string,
  agent: Agent,
  etag: string,
  fileDigest: string,
  awaitsPublish: boolean,
) {
  state.agents.set(file, { ...noteOf(agent, etag, fileDigest), ...(awaitsPublish ? { awaitsPublish } : {}) });
  state.pending.delete(file);
}

/** Throttled, and never concurrent; the final state is saved at the end. */
function throttled(save: () => Promise<void>): () => Promise<void> {
  let savedMs = performance.now();
  let isSaving = false;
  return async () => {
    if (isSaving || performance.now() - savedMs < saveEveryMs) return;
    isSaving = true;
    try {
      await save();
    } finally {
      savedMs = performance.now();
      isSaving = false;
    }
  };
}

/** Failures that would affect every other request too, such as a missing scope or an unreachable service. */
function isForAll(failure: Outcome['failure']): boolean {
  if (failure === null || typeof failure === 'string') return false;
  return [AuthenticationError, PermissionError, ConnectionError, RateLimitError, InternalServerError].some(
    (kind) => failure.error instanceof kind,
  );
}

async function applyItem(item: PlannedItem, input: ApplyInput, isRepeat: boolean): Promise<Outcome> {
  const done: Action[] = [];
  let id = item.id;
  const take = (action: Action, written: Written, isPublished: boolean): void => {
    if (!done.includes(action)) done.push(action);
    id = written.agent.id;
    if (written.etag === null || item.fileDigest === null) return;
    note(input.state, item.file, written.agent, written.etag, item.fileDigest, !isPublished);
  };
  try {
    if (item.action === 'delete') {
      await remove(item, input);
      return { item, id, done: ['delete'], failure: null };
    }
    let current: Written | null = null;
    if (item.action === 'create') current = await create(item, input, isRepeat, (made) => take('create', made, false));
    if (item.action === 'update') {
      current = await update(input.client, item, described(item.patch, input.description));
      take('update', current, false);
    }
    if (item.publishes) take('publish', await publish(item, current, input), true);
    return { item, id, done, failure: null };
  } catch (error) {
    return { item, id, done, failure: { error } };
  }
}

function described(fields: Readonly<Record<string, unknown>>, description: string | undefined) {
  return description === undefined ? fields : { ...fields, versionDescription: description };
}

/** Omits nulls that create does not accept; an update right after the create sets them. */
function createBody(content: Content, description: string | undefined): CreateAgent {
  const { beginMessage, responseEngine, ...rest } = content;
  const { model, ...engine } = responseEngine as { model: string | null };
  return described(
    {
      ...rest,
      ...(beginMessage === null ? {} : { beginMessage }),
      responseEngine: model === null ? engine : { ...engine, model },
    },
    description,
  ) as unknown as CreateAgent;
}

async function create(
  { file, content }: PlannedItem,
  { client, state, save, description, now }: ApplyInput,
  isRepeat: boolean,
  onMade: (made: Written) => void,
): Promise<Written> {
  const body = createBody(content as Content, description);
  const send = async (): Promise<Written> => {
    const { idempotencyKey } = state.pending.get(file) ?? newPendingCreate(now());
    return writtenBy(client.agents.create(body, { idempotencyKey }));
  };
  let made = await send();
  if (isRepeat && (await readAgent(client, made.agent.id)) === null) {
    // The previous run created it, and it has been deleted since.
    state.pending.set(file, newPendingCreate(now()));
    await save();
    made = await send();
  }
  onMade(made);
  const result = patchBetween(contentOf(made.agent), content as Content);
  const patch = 'patch' in result ? result.patch : {};
  if (Object.keys(patch).length === 0) return made;
  const changed = await writtenBy(client.agents.update(made.agent.id, patch as UpdateAgent, { ifMatch: made.etag }));
  onMade(changed);
  return changed;
}

async function update(
  client: VoiceAgents,
  { id, etag, content }: PlannedItem,
  patch: Readonly<Record<string, unknown>>,
): Promise<Written> {
  try {
    return await writtenBy(client.agents.update(id as string, patch as UpdateAgent, { ifMatch: etag }));
  } catch (error) {
    if (!(error instanceof ConflictError) || !error.isAfterLostAnswer) throw error;
    // The conflict may be caused by our own earlier attempt.
    const found = await readAgent(client, id as string);
    const isOurs = found !== null && isDeepStrictEqual(found.content, content);
    if (!isOurs) throw error;
    return found;
  }
}

async function publish(
  item: PlannedItem,
  current: Written | null,
  { client, description }: ApplyInput,
): Promise<Written> {
  const id = current?.agent.id ?? (item.id as string);
  const body = description === undefined ? {} : { versionDescription: description };
  return writtenBy(client.agents.publish(id, body, { ifMatch: current === null ? item.etag : current.etag }));
}

async function writtenBy(call: ReturnType<VoiceAgents['agents']['update']>): Promise<Written> {
  const { data, response } = await call.withResponse();
  return { agent: data, etag: response.etag };
}

async function remove({ id, etag, file }: PlannedItem, { client, state }: ApplyInput): Promise<void> {
  try {
    await client.agents.delete(id as string, { ifMatch: etag });
  } catch (error) {
    // Already deleted, which is what we want.
    if (!(error instanceof NotFoundError)) throw error;
  }
  state.agents.delete(file);
}
