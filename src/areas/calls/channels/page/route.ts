import {
  closeCodes,
  livePath,
  liveProtocol,
  maxFrameBytes,
  resumeProtocol,
  tokenProtocol,
} from '../../../../contract/calls/live.ts';
import type { AccessTokens } from '../../../../core/access-token.ts';
import { malformed, notFound, unauthorized } from '../../../../core/errors.ts';
import { isId } from '../../../../core/ids.ts';
import type { MaybePromise } from '../../../../core/maybe-promise.ts';
import type { CallAccess, Caller } from '../../../../http/admission/caller.ts';
import type { RateLimitState } from '../../../../http/admission/rate-limit.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute } from '../../../../http/sockets.ts';
import type { Queries } from '../../../../storage/database.ts';
import type { Clock } from '../../../../voice/clock.ts';
import { channelOf } from '../../conversation/channel.ts';
import { checkToken } from '../../lifecycle/tokens.ts';
import { isTerminal } from '../../record/call.ts';
import type { StoredCall } from '../../record/call-row.ts';
import type { Journal } from '../../record/journal.ts';
import type { LockedCall } from '../../record/locked-call.ts';
import type { PinnedAgents } from '../../record/pinned-agents.ts';
import type { CallStore } from '../../record/store.ts';
import type { OwnedCalls } from '../audio/owned-calls.ts';
import { type Joining, notJoinable } from '../audio/ownership.ts';
import { CallConnection } from './call-connection.ts';
import { ChatConnection, type ChatConnectionParts } from './chat-connection.ts';
import { type EventFeedParts, followEvents } from './event-feed.ts';
import { LiveSocket, type OpenedSocket, type SocketUser } from './live-socket.ts';
import type { FindValidKeys, OpenSockets } from './open-sockets.ts';
import type { ResumeKeys } from './resume-key.ts';

export interface LiveRouteParts extends ChatConnectionParts, EventFeedParts {
  readonly store: CallStore;
  readonly journal: Journal;
  readonly agents: PinnedAgents;
  readonly calls: OwnedCalls;
  readonly tokens: AccessTokens;
  readonly resumeKeys: ResumeKeys;
  readonly findValidKeys: FindValidKeys;
  /** Counts a connection or a message towards the limit of its token. */
  readonly admit: (tokenId: string) => MaybePromise<RateLimitState>;
  readonly clock: Clock;
  readonly sockets: OpenSockets;
}

const noScopes: ReadonlySet<string> = new Set();

/** The WebSocket of a call: a spoken one with its audio, or a chat. */
export function createLiveRoute(parts: LiveRouteParts): SocketRoute {
  const { database, journal, agents } = parts;
  /** The newest socket of each chat in this process. */
  const chats = new Map<string, LiveSocket>();

  const acceptCall = async (credential: Credential, { nextEvent }: StoredCall): Promise<AcceptedSocket['open']> => {
    const call = await parts.calls.join(joiningWith(credential));
    const { epoch } = call;
    const resumeKey = parts.resumeKeys.issue({ ...credential, epoch });
    return (socket, reject) => {
      const connectionOf = (live: LiveSocket) => new CallConnection(live, { call, epoch, resumeKey });
      const { user } = openSocket(parts, { socket, reject }, credential, nextEvent - 1, connectionOf);
      call.attach(user);
    };
  };

  const acceptChat = async (credential: Credential, caller: Caller): Promise<AcceptedSocket['open']> => {
    const stored = await database.transaction((queries) => joinChat(journal, queries, credential));
    const agent = await agents.read(undefined, credential.workspaceId, stored.agentDigest);
    if (agent === undefined) throw new Error('the agent of an open call is missing');
    const { id } = stored.call;
    const resumeKey = parts.resumeKeys.issue({ ...credential, epoch: 0 });
    const facts = { callId: id, caller, agentName: agent.name, language: stored.language, resumeKey };
    return (socket, reject) => {
      const before = chats.get(id);
      const connectionOf = (live: LiveSocket) => {
        const onClosed = (): void => void (chats.get(id) === live && chats.delete(id));
        return new ChatConnection({ ...parts, onClosed }, live, facts);
      };
      const { live } = openSocket(parts, { socket, reject }, credential, stored.nextEvent - 1, connectionOf);
      chats.set(id, live);
      before?.close(closeCodes.joinedElsewhere);
    };
  };

  return {
    id: 'calls.live',
    path: livePath.replace('{id}', ':id'),
    maxFrameBytes,
    accept: async (request) => {
      const credential = await credentialOf(parts, request);
      const { workspaceId, keyId, access } = credential;
      const caller: Caller = { workspaceId, keyId, scopes: noScopes, access };
      const found = await parts.store.find(workspaceId, access.callId);
      if (found === undefined) throw notFound('call');
      const { isSpoken } = channelOf(found.call);
      const open = isSpoken ? await acceptCall(credential, found) : await acceptChat(credential, caller);
      // A caller who is talking hears a change of instances. A chat has nothing to lose between two messages.
      return { caller, drain: isSpoken ? 'stay' : 'close', protocol: liveProtocol, open };
    },
  };
}

/** 401 unless the client may use what it offers; 404 for the id of another call. */
async function credentialOf(parts: LiveRouteParts, { protocols, headers, params }: SocketRequest): Promise<Credential> {
  const { id = '' } = params;
  if (!protocols.includes(liveProtocol)) throw malformed(`Sec-WebSocket-Protocol must contain ${liveProtocol}`);
  const offered = protocols.filter((name) => name.startsWith(tokenProtocol) || name.startsWith(resumeProtocol));
  const [name = ''] = offered;
  const credential = offered.length === 1 ? readCredential(parts, name) : undefined;
  if (credential === undefined) throw unauthorized('a token');
  const { access, keyId } = credential;
  const { origin } = headers;
  const { origins } = access;
  if (origins.length > 0 && (origin === undefined || !origins.includes(origin))) throw unauthorized('a token');
  // Unlike for requests, keys are not cached: a page whose socket was closed because of its key must not get another.
  if (!(await parts.findValidKeys([keyId])).has(keyId)) throw unauthorized('a token');
  if (!isId('call', id) || access.callId !== id) throw notFound('call');
  const { refusal } = await parts.admit(access.tokenId);
  if (refusal !== null) throw refusal;
  return credential;
}

function readCredential({ tokens, resumeKeys }: LiveRouteParts, name: string): Credential | undefined {
  if (name.startsWith(tokenProtocol)) {
    const token = tokens.read(name.slice(tokenProtocol.length));
    if (token === undefined) return undefined;
    const { workspaceId, keyId, ...access } = token;
    return { workspaceId, keyId, access, resumesEpoch: null };
  }
  const key = resumeKeys.read(name.slice(resumeProtocol.length));
  if (key === undefined) return undefined;
  const { workspaceId, keyId, access, epoch } = key;
  return { workspaceId, keyId, access, resumesEpoch: epoch };
}

/** `after`: the last event before the client joined. It gets those that follow once it has started. */
function openSocket<User extends SocketUser>(
  parts: LiveRouteParts,
  opened: OpenedSocket,
  { access, keyId }: Credential,
  after: number,
  userOf: (socket: LiveSocket) => User,
): { readonly live: LiveSocket; readonly user: User } {
  const { callId, tokenId } = access;
  const stopEvents = new AbortController();
  const live = new LiveSocket(opened, callId, { ...parts, admitMessage: () => parts.admit(tokenId) });
  const user = userOf(live);
  live.open({
    hasAudio: user.hasAudio,
    start: (frame) => {
      user.start(frame);
      void followEvents(parts, callId, after, stopEvents.signal, {
        event: (json) => void live.sendText(`{"type":"event","event":${json}}`),
        ended: (reason) => {
          live.send({ type: 'ended', reason });
          live.close(closeCodes.ended);
        },
      });
    },
    receive: (frame) => user.receive(frame),
    audio: (samples) => user.audio(samples),
    closed: () => {
      parts.sockets.remove(keyId, live);
      stopEvents.abort();
      user.closed();
    },
  });
  parts.sockets.add(keyId, live);
  return { live, user };
}

/** How a client joins: with a token, or with the key of a connection that it has lost. */
interface Credential {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly access: CallAccess;
  /** The epoch of the connection to resume; null for a token. */
  readonly resumesEpoch: number | null;
}

/** A connection of a spoken call: authorized with its token, which it uses up. */
function joiningWith(credential: Credential): Joining {
  const { workspaceId, access, resumesEpoch } = credential;
  const authorized = (locked: LockedCall, resumedEpoch: number | null): void => {
    if (!channelOf(locked.call).hasPage) throw notFound('call');
    authorize(locked, credential);
    // A newer connection has been opened since.
    const isNewest = locked.row.ownerEpoch === resumesEpoch || resumedEpoch === resumesEpoch;
    if (resumesEpoch !== null && !isNewest) throw unauthorized('a token');
    locked.set({ joinedToken: access.tokenId });
  };
  return { workspaceId, callId: access.callId, resumesEpoch, authorize: authorized };
}

/** A chat has no owner: joining only uses up the token. */
async function joinChat(journal: Journal, queries: Queries, credential: Credential): Promise<StoredCall> {
  const { workspaceId, access } = credential;
  const locked = await journal.lock(queries, workspaceId, access.callId);
  if (locked === undefined) throw notFound('call');
  authorize(locked, credential);
  locked.set({ joinedToken: access.tokenId });
  await journal.write(queries, locked);
  return locked.row;
}

function authorize(locked: LockedCall, { access, resumesEpoch }: Credential): void {
  const { row, call } = locked;
  const isJoined = row.joinedToken === access.tokenId;
  if (resumesEpoch === null) {
    checkToken(access, row, locked.now);
    // A token joins once. It may still read how the call ended.
    if (isJoined && !isTerminal(call)) throw unauthorized('a token');
  } else if (!isJoined) throw unauthorized('a token');
  if (call.status !== 'registered' && call.status !== 'ongoing') throw notJoinable(locked, null);
}
