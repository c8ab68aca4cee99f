import type { Document, KnowledgeBase, VoiceAgents } from '../../../../sdk/src/index.ts';
import type { PlannedItem } from '../beside/planned-item.ts';
import { changesBetween, type FieldChange } from '../changes.ts';
import { compare } from '../file-names.ts';
import type { PlanOptions } from '../plan.ts';
import type { WorkspaceState } from '../state.ts';
import {
  type BaseContent,
  type BaseFile,
  baseContentOf,
  digestOfBase,
  type LocalDocument,
  shortBase,
} from './base-file.ts';

/** What happens to a document. */
export type DocumentChange =
  | { readonly action: 'add'; readonly local: LocalDocument }
  | { readonly action: 'replace'; readonly local: LocalDocument; readonly seen: Document }
  | { readonly action: 'delete'; readonly seen: Document };

export interface PlannedBase extends PlannedItem {
  readonly name: string;
  /** Null if the file was removed. */
  readonly file: BaseFile | null;
  /** On the server. */
  readonly seen: KnowledgeBase | null;
  readonly documents: readonly DocumentChange[];
}

export interface BasePlan {
  readonly items: readonly PlannedBase[];
  /** Bases on the server without a file. */
  readonly unmanaged: readonly KnowledgeBase[];
}

export const emptyBasePlan: BasePlan = { items: [], unmanaged: [] };

export interface SeenBases {
  /** In order of creation. */
  readonly bases: readonly KnowledgeBase[];
  /** The documents with a file, by base, of bases whose documents are in a folder. */
  readonly documents: ReadonlyMap<string, readonly Document[]>;
}

export async function readBases(client: VoiceAgents, files: readonly BaseFile[]): Promise<SeenBases> {
  const bases: KnowledgeBase[] = [];
  for await (const base of client.knowledgeBases.list({ limit: 200 })) bases.push(base);
  bases.reverse();
  const documents = new Map<string, Document[]>();
  for (const { content, documents: local } of files) {
    const base = bases.find(({ name }) => name === content?.name);
    if (base === undefined || local === null) continue;
    const found: Document[] = [];
    for await (const document of client.documents.list(base.id, { limit: 200, type: ['file'] })) found.push(document);
    documents.set(base.id, found);
  }
  return { bases, documents };
}

export interface BasePlanInput {
  readonly files: readonly BaseFile[];
  readonly seen: SeenBases;
  readonly state: WorkspaceState;
  readonly options: PlanOptions;
}

/** Computes the changes that bring the knowledge bases and their documents in line with the files. */
export function planBases(input: BasePlanInput): BasePlan {
  const { files, seen, state, options } = input;
  const { bases } = seen;
  const items = files.flatMap((file) => (file.content === null ? [] : [planFile(file, file.content, input)]));
  const inFiles = new Set(items.map(({ name }) => name));
  for (const [name, entry] of state.knowledge) {
    const found = bases.find((base) => base.name === name);
    if (inFiles.has(name) || found === undefined) continue;
    const isDeleting = options.delete === true;
    const isChanged = digestOfBase(found) !== entry.content;
    const obstacle =
      isDeleting && isChanged && !options.force ? 'changed on the server since the last pull: use --force' : null;
    const rest = { file: null, seen: found, changes: [], documents: [], obstacle, isConflict: obstacle !== null };
    items.push({ name, action: isDeleting ? 'delete' : 'none', ...rest });
  }
  const unmanaged = bases.filter(({ name }) => !inFiles.has(name) && !state.knowledge.has(name));
  return { items: items.sort((a, b) => compare(a.name, b.name)), unmanaged };
}

function planFile(file: BaseFile, content: BaseContent, { seen, state, options }: BasePlanInput): PlannedBase {
  const { name } = content;
  const [base = null, second] = seen.bases.filter((each) => each.name === name);
  const documents = documentChanges(file.documents, seen.documents.get(base?.id ?? '') ?? [], options);
  const fields = base === null ? changesBetween({}, shortBase(content)) : changesBetween(baseContentOf(base), content);
  const changes = [...fields, ...documents.map(describedAs)];
  const item = { name, file, seen: base, documents, changes };
  if (base !== null && changes.length === 0) return { ...item, action: 'none', obstacle: null, isConflict: false };
  const entry = state.knowledge.get(name);
  let conflict: string | null = null;
  if (base === null && entry !== undefined) {
    conflict = 'deleted on the server since the last pull: use --force to create it again';
  } else if (base !== null && fields.length > 0 && entry !== undefined && entry.content !== digestOfBase(base)) {
    conflict =
      'changed on the server since the last pull: run "pull" to get the changes, or use --force to overwrite them';
  }
  if (options.force === true) conflict = null;
  const obstacle = conflict ?? (second === undefined ? null : 'there are several knowledge bases with this name');
  return { ...item, action: base === null ? 'create' : 'update', obstacle, isConflict: conflict !== null };
}

/** Documents on the server without a file are deleted only with --delete. Those that are no files stay. */
function documentChanges(
  local: readonly LocalDocument[] | null,
  seen: readonly Document[],
  options: PlanOptions,
): DocumentChange[] {
  if (local === null) return [];
  const changed = local.flatMap((document): DocumentChange[] => {
    const found = seen.find(({ name }) => name === document.name);
    if (found === undefined) return [{ action: 'add', local: document }];
    const isServed = found.contentSha256 === document.sha256 && found.status === 'ready';
    return isServed ? [] : [{ action: 'replace', local: document, seen: found }];
  });
  if (options.delete !== true) return changed;
  const names = new Set(local.map(({ name }) => name));
  return [
    ...changed,
    ...seen.flatMap((each): DocumentChange[] => (names.has(each.name) ? [] : [{ action: 'delete', seen: each }])),
  ];
}

function describedAs(change: DocumentChange): FieldChange {
  const { action } = change;
  const sizeOf = (bytes: number | null) => (bytes === null ? 'not read' : `${bytes.toLocaleString('en')} bytes`);
  const name = action === 'delete' ? change.seen.name : change.local.name;
  return {
    path: ['documents', name],
    from: action === 'add' ? undefined : sizeOf(change.seen.sizeBytes),
    to: action === 'delete' ? undefined : sizeOf(change.local.sizeBytes),
  };
}
