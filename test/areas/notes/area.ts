import { createHash } from 'node:crypto';
import { type Area, defineArea, type Kernel } from '../../../src/areas/area.ts';
import { notFound, unauthorized } from '../../../src/core/errors.ts';
import { StoredJson } from '../../../src/core/stored-json.ts';
import type { Queries } from '../../../src/storage/database.ts';
import { createDocumentKind } from '../../../src/storage/documents/document-kind.ts';
import { afterEveryId, type PageRow, pageOf, pageSql } from '../../../src/storage/page.ts';
import { type Note, notesContract } from './contract.ts';

export interface NotesOptions {
  /** The other system that `notes.send` waits for. */
  readonly send: (note: Note, signal: AbortSignal) => Promise<number>;
}

export function createNotes({ database, newId, now, media, mediaUrls }: Kernel, { send }: NotesOptions): Area {
  const kind = createDocumentKind('note');
  const listSql = pageSql(
    database.dialect,
    kind,
    'id',
    (place) => `FROM notes WHERE workspace_id = $1 AND id < ${place} AND ($4 = '' OR colour = $4) AND weight >= $5`,
  );
  const find = async (queries: Pick<Queries, 'get'>, workspaceId: string, id: string): Promise<StoredJson<Note>> => {
    const sql = 'SELECT doc, doc_version FROM notes WHERE workspace_id = $1 AND id = $2';
    const row = await queries.get<{ doc: string; doc_version: number }>(sql, [workspaceId, id]);
    if (row === undefined) throw notFound('note');
    return new StoredJson(kind.current(row.doc, row.doc_version));
  };
  const save = async (queries: Queries, workspaceId: string, note: Note): Promise<void> => {
    await queries.run(
      `INSERT INTO notes (workspace_id, id, colour, weight, fingerprint, doc, doc_version)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (workspace_id, id) DO UPDATE SET colour = excluded.colour, weight = excluded.weight,
          fingerprint = excluded.fingerprint, doc = excluded.doc, doc_version = excluded.doc_version`,
      [
        workspaceId,
        note.id,
        note.colour,
        note.weight,
        createHash('sha256').update(note.text).digest(),
        JSON.stringify(note),
        kind.version,
      ],
    );
  };
  const noteOf = (id: string, content: Omit<Note, 'id' | 'at'>): Note => ({
    id,
    ...content,
    at: new Date(now()).toISOString(),
  });

  return defineArea(notesContract, {
    handlers: {
      'notes.create': async ({ caller, body, queries }) => {
        const note = noteOf(newId('nte'), body);
        await save(queries, caller.workspaceId, note);
        return { body: note, resourceId: note.id };
      },
      'notes.replace': async ({ caller, params, body, queries }) => {
        await find(queries, caller.workspaceId, params.id);
        const note = noteOf(params.id, body);
        await save(queries, caller.workspaceId, note);
        return { body: note, resourceId: note.id };
      },
      'notes.list': async ({ caller, query: { limit, colour = '', minWeight = 0 }, position, nextPage }) => {
        const parameters = [caller.workspaceId, position?.after ?? afterEveryId, limit, colour, minWeight];
        return nextPage(pageOf<Note>(await database.get<PageRow>(listSql, parameters), kind));
      },
      'notes.get': async ({ caller, params }) => ({ body: await find(database, caller.workspaceId, params.id) }),
      'notes.delete': async ({ caller, params: { id }, queries }) => {
        await find(queries, caller.workspaceId, id);
        await queries.run('DELETE FROM notes WHERE workspace_id = $1 AND id = $2', [caller.workspaceId, id]);
        return { body: { id, deleted: true }, resourceId: id };
      },
      'notes.search': async ({ caller, body }) => {
        const rows = await database.all<{ doc: string }>('SELECT doc FROM notes WHERE workspace_id = $1', [
          caller.workspaceId,
        ]);
        return { body: { found: rows.filter(({ doc }) => (JSON.parse(doc) as Note).text.includes(body.text)).length } };
      },
      'notes.send': async ({ caller, params, signal, begin, record }) => {
        const begun = await begin(async (queries) => {
          const note = JSON.parse(String((await find(queries, caller.workspaceId, params.id)).bytes)) as Note;
          return { resourceId: note.id, result: note };
        });
        if (begun.saved !== null) return begun.saved;
        const note = begun.result;
        const times = await send(note, signal);
        return record(async () => ({ body: { id: note.id, times }, resourceId: note.id }));
      },
      'notes.read': async ({ caller, params }) => {
        const note = JSON.parse(String((await find(database, caller.workspaceId, params.id)).bytes)) as Note;
        return { media: note.text.match(/.{1,1000}/gsu) ?? [] };
      },
    },
    sockets: [
      {
        id: 'notes.live',
        path: '/live/v1/notes/:id',
        maxFrameBytes: 1024,
        accept: async ({ params, protocols }) => {
          if (!protocols.includes('token.good')) throw unauthorized('a key');
          return {
            caller: null,
            drain: 'close',
            protocol: protocols.includes('notes.v1') ? 'notes.v1' : null,
            open: (socket) => {
              socket.on('message', (data) => socket.send(`${params.id}: ${data}`));
            },
          };
        },
      },
    ],
    documents: [{ kind, table: 'notes', key: ['workspace_id', 'id'] }],
    metrics: [{ name: 'notes_test', type: 'gauge', help: 'For a test.', values: () => [{ labels: {}, value: 7 }] }],
    onClose: async () => {
      await media.remove('notes/last.txt');
      mediaUrls.verify('');
    },
  });
}
