import { z } from 'zod';
import { defineContract } from '../../../src/contract/area.ts';
import { defineOperation } from '../../../src/contract/operation.ts';
import { pageParameters, pageSuccess } from '../../../src/contract/pagination.ts';
import { notesScopes } from './scopes.ts';

const none = z.object({});
const params = z.object({ id: z.string() });

export const note = z
  .strictObject({ id: z.string(), text: z.string(), colour: z.string(), weight: z.number(), at: z.iso.datetime() })
  .meta({ id: 'Note' });
export type Note = z.infer<typeof note>;

const content = z
  .object({
    text: z.string().min(1),
    colour: z.string().default('white'),
    weight: z.number().default(1),
  })
  .meta({ id: 'NoteContent' });
const shared = { risk: 'standard', params: none, query: none, summary: 'x', description: 'x' } as const;
const one = { status: 200, description: 'The note.', body: note } as const;

/** A trivial area with an operation of every kind. */
export const notesContract = defineContract({
  tag: { name: 'Notes', description: 'Short texts.' },
  idPrefixes: ['nte'],
  scopes: notesScopes,
  operations: [
    defineOperation({
      ...shared,
      id: 'notes.create',
      kind: 'change',
      method: 'POST',
      path: '/api/v1/notes',
      scope: 'agents:write',
      body: content,
      success: { ...one, status: 201 },
    }),
    defineOperation({
      ...shared,
      id: 'notes.replace',
      kind: 'change',
      method: 'PUT',
      path: '/api/v1/notes/{id}',
      scope: 'agents:write',
      params,
      body: content,
      success: one,
    }),
    defineOperation({
      ...shared,
      id: 'notes.list',
      kind: 'read',
      method: 'GET',
      path: '/api/v1/notes',
      scope: 'agents:read',
      query: z.object({ ...pageParameters, colour: z.string().optional(), minWeight: z.int().optional() }),
      body: null,
      success: pageSuccess('NotePage', note, 'A page of notes.'),
    }),
    defineOperation({
      ...shared,
      id: 'notes.get',
      kind: 'read',
      method: 'GET',
      path: '/api/v1/notes/{id}',
      scope: 'agents:read',
      params,
      body: null,
      success: one,
    }),
    defineOperation({
      ...shared,
      id: 'notes.delete',
      kind: 'change',
      method: 'DELETE',
      path: '/api/v1/notes/{id}',
      scope: 'agents:write',
      params,
      body: null,
      success: {
        status: 200,
        description: 'The id.',
        body: z.strictObject({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'DeletedNote' }),
      },
    }),
    defineOperation({
      ...shared,
      id: 'notes.search',
      kind: 'read',
      method: 'POST',
      path: '/api/v1/notes/search',
      scope: 'agents:read',
      body: z.object({ text: z.string() }).meta({ id: 'SearchNotes' }),
      success: {
        status: 200,
        description: 'How many.',
        body: z.strictObject({ found: z.int() }).meta({ id: 'FoundNotes' }),
      },
    }),
    defineOperation({
      ...shared,
      id: 'notes.send',
      kind: 'action',
      method: 'POST',
      path: '/api/v1/notes/{id}/send',
      scope: 'agents:write',
      params,
      body: z.object({}).meta({ id: 'SendNote' }),
      isBodyOptional: true,
      success: {
        status: 200,
        description: 'What was sent.',
        body: z.strictObject({ id: z.string(), times: z.int() }).meta({ id: 'SentNote' }),
      },
    }),
    defineOperation({
      ...shared,
      id: 'notes.read',
      kind: 'read',
      method: 'GET',
      path: '/api/v1/notes/{id}/text',
      scope: 'agents:read',
      params,
      body: null,
      success: {
        status: 200,
        description: 'The text.',
        body: null,
        media: { type: 'text/plain; charset=utf-8', description: 'The text, in pieces.' },
      },
    }),
  ],
});
