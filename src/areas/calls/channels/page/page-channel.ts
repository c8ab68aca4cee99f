import type { MetricSource } from '../../../../http/metric-source.ts';
import type { ScheduledTask } from '../../../../jobs/schedule.ts';
import type { Kernel } from '../../../area.ts';
import type { EndCall } from '../../lifecycle/end.ts';
import { joinWithToken } from '../../lifecycle/tokens.ts';
import { isTerminal } from '../../record/call.ts';
import { OpenSockets } from './open-sockets.ts';
import { createResumeKeys } from './resume-key.ts';
import { createLiveRoute, type LiveRouteParts } from './route.ts';

export interface PageChannelParts
  extends Pick<
    LiveRouteParts,
    | 'database'
    | 'store'
    | 'journal'
    | 'agents'
    | 'calls'
    | 'readers'
    | 'sendMessage'
    | 'findValidKeys'
    | 'admit'
    | 'clock'
    | 'delay'
    | 'logFailure'
  > {
  readonly endCall: EndCall;
}

/** A revoked key must not be used for longer than a second. */
const keyPollMs = 400;

/** The WebSockets of the pages of callers, in spoken calls and in chats. */
export function createPageChannel({ sealer, accessTokens }: Kernel, parts: PageChannelParts) {
  const { database, journal, endCall } = parts;
  const sockets = new OpenSockets(parts.findValidKeys);
  const route = createLiveRoute({
    ...parts,
    tokens: accessTokens,
    resumeKeys: createResumeKeys(sealer.deriveEach('resume-key')),
    endChat: (caller, callId) =>
      database.transaction(async (queries) => {
        const locked = await journal.lock(queries, caller.workspaceId, callId);
        if (locked === undefined || isTerminal(locked.call)) return;
        joinWithToken(caller.access, locked);
        await endCall(queries, locked, caller);
      }),
    sockets,
  });
  const task: ScheduledTask = {
    name: 'close the sockets of invalid keys',
    everyMs: keyPollMs,
    run: () => sockets.closeInvalid().then(() => false),
  };
  const metric: MetricSource = {
    name: 'live_sockets_open',
    type: 'gauge',
    help: 'Open WebSockets of calls and chats.',
    values: () => [{ labels: {}, value: sockets.count }],
  };
  return { route, task, metric };
}
