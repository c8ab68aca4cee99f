import type { callsContract } from '../../contract/calls/index.ts';
import { contentNotFound, stateConflict } from '../../core/errors.ts';
import { StoredJson } from '../../core/stored-json.ts';
import type { Caller } from '../../http/admission/caller.ts';
import type { MediaUrls } from '../../http/media.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import { WaitingLimit, type WaitingReaders } from '../../http/waiting-readers.ts';
import { savedSkill } from '../../voice/engines/flow/state.ts';
import type { TokenParts } from './lifecycle/tokens.ts';
import type { StoredCall } from './record/call-row.ts';
import { eventPage } from './record/event-page.ts';
import type { CallStore } from './record/store.ts';
import type { EventRow } from './record/turns-and-events.ts';

export interface ContentRouteParts {
  readonly store: CallStore;
  readonly readers: WaitingReaders<EventRow>;
  readonly mediaUrls: MediaUrls;
  readonly tokens: TokenParts;
  readonly now: () => number;
  /** A call that this caller may read. */
  readonly find: (caller: Caller, id: string) => Promise<StoredCall>;
}

type CallHandlers = Handlers<(typeof callsContract.operations)[number]>;
type ContentOperation = `calls.${'events.list' | 'transcript.get' | 'skill.get' | 'recording.get'}`;

const recordingUrlMs = 5 * 60_000;
/** Enough for several tabs of one call. */
const maxReadersPerCall = 10;

/** Reads of what was said and has happened in a call. */
export function contentRoutes(parts: ContentRouteParts): Pick<CallHandlers, ContentOperation> {
  const { store, readers, mediaUrls, tokens, now, find } = parts;
  const waitingLimit = new WaitingLimit(
    maxReadersPerCall,
    `More than ${maxReadersPerCall} requests are waiting for events of this call.`,
  );

  return {
    'calls.events.list': async ({
      caller,
      params,
      query: { limit, waitSeconds },
      position,
      nextPage,
      startWaiting,
    }) => {
      const after = position === null ? 0 : Number(position.after);
      const read = async () => eventPage(store, await find(caller, params.id), after, limit, caller.access);
      const page = await read();
      if (!page.isEmpty || page.isLast || waitSeconds === 0) return nextPage(page);
      const release = waitingLimit.admit(params.id);
      try {
        await readers.wait(params.id, page.newest, waitSeconds * 1000, startWaiting());
      } finally {
        release();
      }
      return nextPage(await read());
    },

    'calls.transcript.get': async ({ caller, params }) => {
      const { call, language } = await find(caller, params.id);
      const { transcriptStatus: status } = call;
      if (status === 'not_stored' || status === 'deleted') throw contentNotFound('transcript', status);
      const turns = await store.turnsJson(call.id);
      const head = JSON.stringify({ callId: call.id, status, language });
      return { body: new StoredJson(`${head.slice(0, -1)},"turns":${turns}}`) };
    },

    'calls.skill.get': async ({ caller, params }) => {
      const { call } = await find(caller, params.id);
      const state = await store.workingState(caller.workspaceId, call.id);
      const { engine } = (state as { readonly engine?: unknown } | null) ?? {};
      return { body: { callId: call.id, skillId: savedSkill(engine) } };
    },

    'calls.recording.get': async ({ caller, params }) => {
      const { call, recording } = await find(caller, params.id);
      const { status, durationMs, sizeBytes } = call.recording;
      if (status === 'recording' || status === 'processing') {
        throw stateConflict('recording', { status, allowed: ['available'], retryAfterSeconds: 5 });
      }
      if (status !== 'available') throw contentNotFound('recording', status);
      const { name = null, sha256 = null } = recording ?? {};
      if (name === null || sha256 === null) throw new Error('an available recording has no file');
      const expiresAt = now() + recordingUrlMs;
      return {
        body: {
          callId: call.id,
          url: `${tokens.publicUrl ?? ''}${mediaUrls.sign({ name, type: 'audio/wav', expiresAt })}`,
          expiresAt: new Date(expiresAt).toISOString(),
          format: 'wav',
          channels: 2,
          durationMs: durationMs ?? 0,
          sizeBytes: sizeBytes ?? 0,
          sha256,
        },
      };
    },
  };
}
