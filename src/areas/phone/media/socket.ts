import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { notFound, signatureRequired } from '../../../core/errors.ts';
import { type SocketRoute, sendWithin } from '../../../http/sockets.ts';
import type { RejectPeer } from '../../../net/socket-closing.ts';
import type { Database } from '../../../storage/database.ts';
import { isSignedBy, upgradeUrl } from '../../../voice/carriers/twilio/signature.ts';
import type { Clock } from '../../../voice/clock.ts';
import { MediaStream } from '../../../voice/transports/media-stream.ts';
import { carrierPath, mediaAddress } from '../addresses.ts';
import type { CarrierStore } from '../carriers/store.ts';
import type { LegJobs } from '../dials/jobs.ts';
import { callLeg, type DialStore } from '../dials/store.ts';
import type { PhoneCalls } from '../phone-calls.ts';
import type { MediaToken, MediaTokens } from './token.ts';

export interface MediaSocketParts {
  readonly database: Database;
  readonly dials: DialStore;
  readonly calls: PhoneCalls;
  readonly carriers: CarrierStore;
  readonly jobs: LegJobs;
  readonly tokens: MediaTokens;
  readonly clock: Clock;
  readonly now: () => number;
  readonly logger: Logger;
  /** Writes that nobody waits for. */
  readonly pending: Set<Promise<void>>;
}

const maxFrameBytes = 64 * 1024;
/** How long the carrier may take to ask for the next document, before the call is pointed to it. */
export const rejoinMs = 5000;
const normalClosure = 1000;
const internalError = 1011;

/** The socket that the carrier opens for the media of a call. */
export function createMediaRoute(parts: MediaSocketParts): SocketRoute {
  const { database, dials, carriers, tokens, now } = parts;
  return {
    id: 'carrier.media',
    path: `${carrierPath}/:carrierId/media/:token`,
    maxFrameBytes,
    accept: async ({ params, headers }) => {
      const { carrierId = '', token: text = '' } = params;
      // Some characters of a path cannot be in a query.
      const carrier = /^[\w-]{1,64}$/.test(carrierId) ? await carriers.readAnyWorkspace(carrierId) : undefined;
      const base = carrier === undefined ? null : carriers.publicBase(carrier);
      if (carrier === undefined || base === null) throw notFound('carrier');
      const url = upgradeUrl(mediaAddress(base, carrierId, text));
      const signature = headers['x-twilio-signature'];
      const { authToken } = carriers.credentials(carrier);
      const isSigned = typeof signature === 'string' && isSignedBy(authToken, url, [], signature);
      const token = tokens.read(text);
      if (!isSigned || token === undefined || token.expiresAt <= now()) throw signatureRequired();
      const dial = await dials.find(database, { callId: token.callId, leg: callLeg });
      if (dial?.carrierId !== carrierId) throw notFound('call');
      const open = (socket: WebSocket, reject: RejectPeer): void => connect(parts, token, socket, reject);
      return { caller: null, drain: 'stay', protocol: null, open };
    },
  };
}

function connect(parts: MediaSocketParts, token: MediaToken, socket: WebSocket, reject: RejectPeer): void {
  const { calls, clock, logger, pending } = parts;
  const { workspaceId, callId, epoch, providerCallId } = token;
  let isClosed = false;
  let onClosed: (() => void) | null = null;

  const close = (code: number): void => {
    stream.close();
    socket.close(code);
  };
  const join = async (): Promise<void> => {
    try {
      const joined = await calls.connect({ workspaceId, callId, epoch }, { stream, close: () => close(normalClosure) });
      if (isClosed) joined();
      else onClosed = joined;
    } catch (error) {
      // The media joined before, or the call is over. The carrier asks what comes next.
      const { name, message } = error as Error;
      logger.warn({ callId, err: { type: name, message } }, 'the media of a call could not be connected');
      close(internalError);
    }
  };
  const stream = new MediaStream(
    {
      send: (frame) => {
        if (!sendWithin(socket, frame)) socket.terminate();
      },
    },
    {
      clock,
      providerCallId,
      started: () => void join(),
      violation: ({ code, reason }) => reject(code, reason),
    },
  );

  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (isBinary) stream.receiveBinary();
    else stream.receive(String(data));
  });
  socket.once('close', () => {
    isClosed = true;
    stream.close();
    onClosed?.();
    const watching: Promise<void> = watch(parts, token).finally(() => pending.delete(watching));
    pending.add(watching);
  });
}

/** If the call goes on, the carrier asks for its next document. */
async function watch(
  { database, dials, jobs, now, logger }: MediaSocketParts,
  { workspaceId, callId }: MediaToken,
): Promise<void> {
  try {
    await database.transaction(async (queries) => {
      const dial = await dials.find(queries, { callId, leg: callLeg });
      if (dial === undefined || dial.settledAt !== null) return;
      await jobs.rejoin(queries, { callId, leg: callLeg, workspaceId, closedAt: now() }, rejoinMs);
    });
  } catch (error) {
    const { name, message } = error as Error;
    logger.warn({ callId, err: { type: name, message } }, 'the end of a media connection could not be recorded');
  }
}
