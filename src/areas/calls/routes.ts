import type { Call } from '../../contract/calls/call.ts';
import type { callsContract } from '../../contract/calls/index.ts';
import { notFound, serviceUnavailable, stateConflict } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import { StoredJson } from '../../core/stored-json.ts';
import type { Caller } from '../../http/admission/caller.ts';
import { errorBodyOf, toAppError } from '../../http/errors.ts';
import { isFresh, requireMatch } from '../../http/operations/conditions.ts';
import type { ChangeReply, Handlers, MediaReply } from '../../http/operations/handlers.ts';
import type { Database, Queries } from '../../storage/database.ts';
import type { OnCallSettled } from '../area.ts';
import type { OwnedCalls } from './channels/audio/owned-calls.ts';
import { type ControlParts, controlChat, takeTurn } from './channels/text/control.ts';
import { EventStream } from './channels/text/event-stream.ts';
import type { BegunMessage, createMessages, MessageReply } from './channels/text/messages.ts';
import { type ContentRouteParts, contentRoutes } from './content-routes.ts';
import { channelOf } from './conversation/channel.ts';
import type { Concurrency } from './lifecycle/concurrency.ts';
import { type CreateParts, createCall } from './lifecycle/create.ts';
import type { EndCall } from './lifecycle/end.ts';
import type { Removal } from './lifecycle/removal.ts';
import { checkToken, issueToken, joinWithToken } from './lifecycle/tokens.ts';
import type { CallListing } from './listing/listing.ts';
import { isTerminal } from './record/call.ts';
import type { CallDocument, StoredCall } from './record/call-row.ts';
import { changesOf } from './record/changes.ts';
import type { Journal } from './record/journal.ts';
import type { LockedCall } from './record/locked-call.ts';

type CallHandlers = Handlers<(typeof callsContract.operations)[number]>;

export interface RouteParts extends Omit<ContentRouteParts, 'find'> {
  readonly database: Database;
  readonly journal: Journal;
  readonly listing: CallListing;
  readonly create: CreateParts;
  readonly control: ControlParts;
  readonly sendMessage: ReturnType<typeof createMessages>;
  readonly concurrency: Concurrency;
  readonly ownedCalls: Pick<OwnedCalls, 'end' | 'control'>;
  /** Ends a call in a transaction, as this caller. */
  readonly endCall: EndCall;
  readonly removal: Removal;
  /** A turn that the agent takes by itself has failed. */
  readonly logFailure: (error: Error) => void;
  readonly onSettled: OnCallSettled;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of short handlers.
export function callRoutes(parts: RouteParts): CallHandlers {
  const { database, store, journal, concurrency, now } = parts;

  const find = async ({ workspaceId, access }: Caller, id: string): Promise<StoredCall> => {
    const found = isId('call', id) ? await store.find(workspaceId, id) : undefined;
    if (found === undefined) throw notFound('call');
    if (access !== null) checkToken(access, found, now());
    return found;
  };
  const lock = async (queries: Queries, { workspaceId }: Caller, id: string): Promise<LockedCall> => {
    const locked = isId('call', id) ? await journal.lock(queries, workspaceId, id) : undefined;
    if (locked === undefined) throw notFound('call');
    return locked;
  };

  return {
    'calls.create': async ({ caller, body, queries }) => {
      const locked = await createCall(parts.create, queries, caller.workspaceId, body);
      const token = body.token ?? { expiresInSeconds: 120, allowedOrigins: [] };
      const hasAccess = locked.call.status !== 'queued' && channelOf(locked.call).hasPage;
      const access = !hasAccess ? null : issueToken(locked, caller.keyId, token, parts.tokens);
      const { etag } = await journal.insert(queries, locked);
      const { id } = locked.call;
      return {
        body: { ...locked.call, access },
        headers: { etag },
        resourceId: id,
        callContent: { callId: id, isSealed: false },
      };
    },

    'calls.list': async ({ caller, query: { limit, cursor: _, ...filters }, position, nextPage }) =>
      nextPage(await parts.listing.listCalls(caller.workspaceId, filters, position?.after ?? null, limit)),

    'calls.search': async ({ caller, body: { filter, limit }, position, nextPage }) =>
      nextPage(await parts.listing.searchCalls(caller.workspaceId, filter, position?.after ?? null, limit)),

    'calls.get': async ({ caller, params: { id }, ifNoneMatch }) => {
      const found = isId('call', id) ? await store.get(caller.workspaceId, id) : undefined;
      if (found === undefined) throw notFound('call');
      const { body, etag } = found;
      const reply = { body, headers: { etag } };
      return isFresh(ifNoneMatch, etag) ? { ...reply, isNotModified: true } : reply;
    },

    'calls.update': async ({ caller, params, body, ifMatch, queries }) => {
      const locked = await lock(queries, caller, params.id);
      requireMatch(ifMatch, locked.row.etag);
      const changes = changesOf(locked.call, body);
      if (Object.keys(changes).length === 0) return unchanged(locked);
      locked.setCall(changes);
      if (isTerminal(locked.call)) await parts.onSettled(queries, { what: 'changed', call: locked.call });
      return written(locked, await journal.write(queries, locked));
    },

    'calls.delete': async ({ caller, params, ifMatch, queries }) => {
      const locked = await lock(queries, caller, params.id);
      requireMatch(ifMatch, locked.row.etag);
      await parts.removal.remove(queries, locked);
      return { body: { id: params.id, deleted: true }, resourceId: params.id };
    },

    'calls.redact': async ({ caller, params, body, ifMatch, queries }) => {
      const locked = await lock(queries, caller, params.id);
      requireMatch(ifMatch, locked.row.etag);
      const document = await parts.removal.redact(queries, locked, body.to);
      return document === null ? unchanged(locked) : written(locked, document);
    },

    'calls.end': async ({ caller, params, ifMatch, record }) => {
      const found = isId('call', params.id) ? await store.find(caller.workspaceId, params.id) : undefined;
      const isOwned = found !== undefined && isSpokenNow(found);
      if (isOwned) {
        if (caller.access !== null) checkToken(caller.access, found, now());
        requireMatch(ifMatch, found.etag);
        await parts.ownedCalls.end(found, caller.access === null ? 'api_end' : 'caller_hangup');
      }
      return record(async (queries) => {
        const locked = await lock(queries, caller, params.id);
        if (caller.access !== null && !isTerminal(locked.call)) joinWithToken(caller.access, locked);
        else if (caller.access !== null) checkToken(caller.access, locked.row, locked.now);
        // The end itself has changed it.
        if (!isOwned) requireMatch(ifMatch, locked.row.etag);
        if (isTerminal(locked.call)) return unchanged(locked);
        return written(locked, await parts.endCall(queries, locked, caller));
      });
    },

    'calls.control': async ({ caller, params, body, begin, record }) => {
      const found = isId('call', params.id) ? await store.find(caller.workspaceId, params.id) : undefined;
      if (found !== undefined && isSpokenNow(found)) {
        const begun = await begin(async () => ({ resourceId: params.id, result: null }));
        if (begun.saved !== null) return begun.saved;
        const sequence = await parts.ownedCalls.control(found, body);
        const reply = { callId: params.id, action: body.action, sequence };
        return record(() => ({ body: reply, resourceId: params.id }));
      }
      let task: Awaited<ReturnType<typeof controlChat>>['task'] = null;
      const reply = await record(async (queries) => {
        const locked = await lock(queries, caller, params.id);
        const { status, id } = locked.call;
        if (status !== 'ongoing') throw stateConflict('call', { status, allowed: ['ongoing'] });
        // The caller has just joined: it is ongoing at the next attempt.
        if (channelOf(locked.call).isSpoken) throw serviceUnavailable('The call is being connected.');
        const controlled = await controlChat(parts.control, queries, locked, body);
        task = controlled.task;
        return { body: { callId: id, action: body.action, sequence: controlled.sequence }, resourceId: id };
      });
      // The turn arrives as call events, so the request does not wait for it.
      if (task !== null) takeTurn(parts.control, task).catch(parts.logFailure);
      return reply;
    },

    'calls.messages.create': async ({ caller, params, body, begin, record, repeatKey, requestId, accepts }) => {
      if (!isId('call', params.id)) throw notFound('call');
      const text = body.text ?? null;
      const message = await parts.sendMessage({ caller, callId: params.id, text, begin, record, repeatKey });
      if (accepts('text/event-stream')) return streamed(message, caller, requestId);
      return message.saved ?? message.reply({ text: () => {}, tool: () => {} });
    },

    ...contentRoutes({ ...parts, find }),

    'calls.tokens.create': async ({ caller, params, body, queries }) => {
      const locked = await lock(queries, caller, params.id);
      const { status, id } = locked.call;
      if (!channelOf(locked.call).hasPage)
        throw stateConflict('call', { status, allowed: [], reason: 'no_access_for_phone' });
      if (status !== 'registered' && status !== 'ongoing') {
        throw stateConflict('call', { status, allowed: ['registered', 'ongoing'] });
      }
      const access = issueToken(locked, caller.keyId, body, parts.tokens);
      await journal.write(queries, locked);
      return { body: access, resourceId: id, callContent: { callId: id, isSealed: false } };
    },

    'calls.concurrency.get': async ({ caller }) => ({ body: await concurrency.read(database, caller.workspaceId) }),
  };
}

/** A process owns the conversation, if none is lost. */
function isSpokenNow({ call }: StoredCall): boolean {
  return channelOf(call).isSpoken && call.status === 'ongoing';
}

function written({ call }: LockedCall, { body, etag }: CallDocument): ChangeReply<Call> {
  const { id: callId } = call;
  return { body, headers: { etag }, resourceId: callId, callContent: { callId, isSealed: false } };
}

function unchanged({ row, call }: LockedCall): ChangeReply<Call> {
  return {
    body: call,
    headers: { etag: row.etag },
    resourceId: call.id,
    callContent: { callId: call.id, isSealed: false },
  };
}

/** The reply as server-sent events. A client that disconnects does not stop it: a repeated request gets it. */
function streamed(message: BegunMessage, { access }: Caller, requestId: string): MediaReply {
  const stream = new EventStream();
  const done = ({ body }: { readonly body: MessageReply | StoredJson<MessageReply> }): void =>
    stream.send('done', body instanceof StoredJson ? JSON.parse(String(body.bytes)) : body);
  if (message.saved !== null) {
    done(message.saved);
    stream.end();
    return { media: stream };
  }
  const completion = message
    .reply({
      text: (turn, delta) => stream.send('text', { turn, delta }),
      tool: (name) => {
        if (access === null) stream.send('tool', { name });
      },
    })
    .then(done, (error: unknown) => stream.send('error', errorBodyOf(toAppError(error), requestId)))
    .finally(() => stream.end());
  return { media: stream, completion };
}
