import {
  closeCodes,
  livePath,
  liveProtocol,
  maxFrameBytes,
  resumeProtocol,
  tokenProtocol,
} from '../../../contract/calls/live.ts';
import type { AccessTokens } from '../../../core/access-token.ts';
import { malformed, notFound, unauthorized } from '../../../core/errors.ts';
import type { Eventually } from '../../../core/eventually.ts';
import { isId } from '../../../core/ids.ts';
import type { Caller } from '../../../http/admission/caller.ts';
import type { RateLimitState } from '../../../http/admission/rate-limit.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute } from '../../../http/sockets.ts';
import type { Clock } from '../../../voice/clock.ts';
import type { StoredCall } from '../call-row.ts';
import type { Journal } from '../journal.ts';
import type { PinnedAgents } from '../pinned-agents.ts';
import type { CallStore } from '../store.ts';
import { ChatConnection, type ChatConnectionParts } from './chat-connection.ts';
import { type Credential, joinChat } from './claim.ts';
import { type EventFeedParts, followEvents } from './event-feed.ts';
import type { LiveCall } from './live-call.ts';
import type { LiveCalls } from './live-calls.ts';
import { LiveSocket, type OpenedSocket, type SocketUser } from './live-socket.ts';
import type { FindValidKeys, OpenSockets } from './open-sockets.ts';
import type { ResumeKeys } from './resume-key.ts';

export interface LiveRouteParts extends ChatConnectionParts, EventFeedParts {
  readonly store: CallStore;
  readonly journal: Journal;
  readonly agents: PinnedAgents;
  readonly live: LiveCalls;
  readonly tokens: AccessTokens;
  readonly resumeKeys: ResumeKeys;
  readonly findValidKeys: FindValidKeys;
  /** Counts a connection or a message towards the limit of its token. */
  readonly admit: (tokenId: string) => Eventually<RateLimitState>;
  readonly clock: Clock;
  readonly sockets: OpenSockets;
}

const noScopes: ReadonlySet<string> = new Set();

/** The WebSocket of a call: a web call with its audio, or a chat. */
export function createLiveRoute(parts: LiveRouteParts): SocketRoute {
  const { database, store, journal, live, agents } = parts;
  const chats = new Map<string, LiveSocket>();

  const acceptWeb = async (credential: Credential): Promise<AcceptedSocket['open']> => {
    const { nextEvent } = await find(credential);
    const call = await live.join(credential);
    const { epoch } = call;
    return (socket, reject) =>
      openWebCall(parts, { socket, reject }, { call, credential, epoch, after: nextEvent - 1 });
  };

  const acceptChat = async (credential: Credential, caller: Caller): Promise<AcceptedSocket['open']> => {
    const stored = await database.transaction((queries) => joinChat(journal, queries, credential));
    const agent = await agents.read(undefined, credential.workspaceId, stored.agentDigest);
    if (agent === undefined) throw new Error('the agent of an open call is missing');
    const facts = { stored, credential, caller, agentName: agent.name };
    return (socket, reject) => openChat(parts, chats, { socket, reject }, facts);
  };

  const find = async ({ workspaceId, access }: Credential): Promise<StoredCall> => {
    const found = await store.find(workspaceId, access.callId);
    if (found === undefined) throw notFound('call');
    return found;
  };

  return {
    id: 'calls.live',
    path: livePath.replace('{id}', ':id'),
    maxFrameBytes,
    accept: async (request) => {
      const credential = await credentialOf(parts, request);
      const { workspaceId, keyId, access } = credential;
      const caller: Caller = { workspaceId, keyId, scopes: noScopes, access };
      const { call } = await find(credential);
      const open = call.type === 'chat' ? await acceptChat(credential, caller) : await acceptWeb(credential);
      // A caller who is talking hears a change of instances. A chat has nothing to lose between two messages.
      return { caller, drain: call.type === 'chat' ? 'close' : 'stay', protocol: liveProtocol, open };
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
  // Not cached, as for requests: a page whose socket was closed because of its key must not get another one.
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

/** Sends the events of the call, and closes the socket after the last one. Returns how to stop. */
function follow(parts: LiveRouteParts, socket: LiveSocket, callId: string, after: number): () => void {
  const stop = new AbortController();
  void followEvents(parts, callId, after, stop.signal, {
    event: (json) => void socket.sendText(`{"type":"event","event":${json}}`),
    ended: (reason) => {
      socket.send({ type: 'ended', reason });
      socket.close(closeCodes.ended);
    },
  });
  return () => stop.abort();
}

function newLiveSocket(
  parts: LiveRouteParts,
  opened: OpenedSocket,
  { access, keyId }: Credential,
  user: (socket: LiveSocket) => SocketUser,
): LiveSocket {
  const admitMessage = () => parts.admit(access.tokenId);
  const socket = new LiveSocket(opened, access.callId, { ...parts, admitMessage }, user);
  parts.sockets.add(keyId, socket);
  return socket;
}

interface WebCallSocket {
  readonly call: LiveCall;
  readonly credential: Credential;
  readonly epoch: number;
  /** The last event before the client joined. */
  readonly after: number;
}

function openWebCall(parts: LiveRouteParts, opened: OpenedSocket, facts: WebCallSocket): void {
  const { call, credential, epoch, after } = facts;
  let stopEvents = (): void => {};
  const user = (socket: LiveSocket): SocketUser => ({
    isChat: false,
    start: ({ input, output }) => {
      const { id: callId, agent } = call;
      const audio = { inputRate: input?.rate ?? 16_000, transport: socket.transport(output?.rate ?? 16_000) };
      const { workspaceId, keyId, access } = credential;
      const resumeKey = parts.resumeKeys.issue({ workspaceId, keyId, access, epoch });
      const { name: agentName, language } = agent;
      // Before anything is said.
      call.start(audio, (capabilities) =>
        socket.send({ type: 'ready', callId, agentName, language, capabilities, resumeKey }),
      );
      stopEvents = follow(parts, socket, callId, after);
    },
    receive: (frame) => {
      call.confirmResumed(epoch);
      if (frame.type === 'text' && frame.text === undefined) socket.badFrame('text: is required in a web call');
      else call.receive(frame);
    },
    audio: (samples) => {
      call.confirmResumed(epoch);
      call.audio(samples);
    },
    closed: () => {
      parts.sockets.remove(credential.keyId, socket);
      stopEvents();
      call.detach(socket);
    },
  });
  call.attach(newLiveSocket(parts, opened, credential, user));
}

interface ChatSocket {
  readonly stored: StoredCall;
  readonly credential: Credential;
  readonly caller: Caller;
  readonly agentName: string;
}

/** `chats`: the newest socket of each chat in this process. */
function openChat(
  parts: LiveRouteParts,
  chats: Map<string, LiveSocket>,
  opened: OpenedSocket,
  facts: ChatSocket,
): void {
  const { stored, credential, caller, agentName } = facts;
  let stopEvents = (): void => {};
  const user = (socket: LiveSocket): SocketUser => {
    const chat = new ChatConnection(parts, socket, caller, stored.call);
    return {
      isChat: true,
      start: () => {
        const { workspaceId, keyId, access } = credential;
        const { id: callId } = stored.call;
        const resumeKey = parts.resumeKeys.issue({ workspaceId, keyId, access, epoch: 0 });
        const capabilities = { speechIn: false, speechOut: false, recording: false };
        const { language } = stored;
        socket.send({ type: 'ready', callId, agentName, language, capabilities, resumeKey });
        stopEvents = follow(parts, socket, callId, stored.nextEvent - 1);
      },
      receive: (frame) => chat.receive(frame),
      audio: () => {},
      closed: () => {
        parts.sockets.remove(credential.keyId, socket);
        stopEvents();
        if (chats.get(stored.call.id) === socket) chats.delete(stored.call.id);
      },
    };
  };
  const before = chats.get(stored.call.id);
  chats.set(stored.call.id, newLiveSocket(parts, opened, credential, user));
  before?.close(closeCodes.joinedElsewhere);
}
