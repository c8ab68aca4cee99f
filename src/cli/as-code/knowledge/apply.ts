import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { type Document, type KnowledgeBase, NotFoundError, type VoiceAgents } from '../../../../sdk/src/index.ts';
import { forEachConcurrently } from '../../concurrency.ts';
import { CommandError } from '../../failures.ts';
import { applyItems, changedSincePlan } from '../beside/apply.ts';
import type { Outcome } from '../beside/planned-item.ts';
import type { WorkspaceState } from '../state.ts';
import { digestOfBase, type LocalDocument } from './base-file.ts';
import type { BasePlan, DocumentChange, PlannedBase } from './plan.ts';

interface ApplyBasesInput {
  readonly client: VoiceAgents;
  readonly plan: BasePlan;
  readonly state: WorkspaceState;
  readonly save: () => Promise<void>;
  readonly isStopped: () => boolean;
}

const maxDocumentsInFlight = 4;

/** Bases without deletions: before the agents, because their files may name one that is created here. */
export function applyBases(input: ApplyBasesInput): Promise<Outcome<PlannedBase>[]> {
  return applyThose(input, ({ action }) => action !== 'delete');
}

/** Deletions: after the agents, because one that names a base prevents its deletion. */
export function deleteBases(input: ApplyBasesInput): Promise<Outcome<PlannedBase>[]> {
  return applyThose(input, ({ action }) => action === 'delete');
}

function applyThose(
  { client, plan, state, save, isStopped }: ApplyBasesInput,
  isWanted: (item: PlannedBase) => boolean,
): Promise<Outcome<PlannedBase>[]> {
  const remember = ({ name, file }: PlannedBase, base: KnowledgeBase | null) => {
    if (base !== null && file !== null) state.knowledge.set(name, { content: digestOfBase(base), file: file.digest });
  };
  return applyItems(plan.items.filter(isWanted), {
    remember: (item) => remember(item, item.seen),
    apply: async (item) => {
      if (item.action === 'delete') {
        await client.knowledgeBases.delete(item.seen?.id ?? '', { ifMatch: await unchangedTag(client, item) });
        state.knowledge.delete(item.name);
        return;
      }
      const base = await writeFields(client, item);
      remember(item, base);
      await writeDocuments(client, base.id, item.documents);
    },
    save,
    isStopped,
  });
}

async function writeFields(client: VoiceAgents, item: PlannedBase): Promise<KnowledgeBase> {
  const { seen, file, changes } = item;
  const content = file?.content;
  if (content == null) throw new Error('a base without a file is not written');
  if (seen === null) return client.knowledgeBases.create(content);
  if (changes.every(({ path }) => path[0] === 'documents')) return seen;
  return client.knowledgeBases.update(seen.id, content, { ifMatch: await unchangedTag(client, item) });
}

/** The ETag of the base, if it still is what the plan was made from. */
async function unchangedTag(client: VoiceAgents, { seen }: PlannedBase): Promise<string | null> {
  const { data, response } = await client.knowledgeBases.get(seen?.id ?? '').withResponse();
  if (seen !== null && digestOfBase(data) === digestOfBase(seen)) return response.etag;
  throw changedSincePlan();
}

/** Waits until all of them can be searched. Those that cannot be read are named; the others are there. */
async function writeDocuments(client: VoiceAgents, baseId: string, changes: readonly DocumentChange[]): Promise<void> {
  const failed: string[] = [];
  await forEachConcurrently(changes, maxDocumentsInFlight, async (change) => {
    if (change.action === 'delete') {
      await client.documents.delete(baseId, change.seen.id).catch((error: unknown) => {
        if (!(error instanceof NotFoundError)) throw error;
      });
      return;
    }
    const documentId = change.action === 'replace' ? change.seen.id : undefined;
    const { name, status, error } = await send(client, baseId, change.local, documentId);
    if (status === 'failed') failed.push(`${name}: ${error?.message ?? 'it cannot be read'}`);
  });
  if (failed.length > 0) throw new CommandError(failed.sort().join('; '));
}

async function send(
  client: VoiceAgents,
  baseId: string,
  { name, path }: LocalDocument,
  documentId: string | undefined,
): Promise<Document> {
  const { id } = await client.documents.upload(baseId, await openAsBlob(path), {
    fileName: basename(path),
    name,
    documentId,
  });
  return client.documents.waitUntilSettled(baseId, id);
}
