import type { MetricSource } from '../../../../http/metric-source.ts';
import type { ScheduledTask } from '../../../../jobs/schedule.ts';
import type { SpeechProviders } from '../../../../voice/speech-ports.ts';
import type { Kernel } from '../../../area.ts';
import type { EndCall } from '../../lifecycle/end.ts';
import { joinWithToken } from '../../lifecycle/tokens.ts';
import { isTerminal } from '../../record/call.ts';
import type { LogCallFailure } from '../../record/call-log.ts';
import { createCommands } from '../audio/commands.ts';
import { LoopDelay } from '../audio/loop-delay.ts';
import { createOwnedCalls } from '../audio/owned-calls.ts';
import { createSpokenCalls } from '../audio/spoken-calls.ts';
import type { ChatParts } from '../text/running-reply.ts';
import { OpenSockets } from './open-sockets.ts';
import { createResumeKeys } from './resume-key.ts';
import { createLiveRoute, type LiveRouteParts } from './route.ts';

export interface LiveSettings {
  /** How long a lost process keeps its web calls. */
  readonly leaseMs?: number;
  /** How often requests of other processes are looked for. */
  readonly pollMs?: number;
  /** Replaces the measured delay of the event loop. */
  readonly isBusy?: () => boolean;
}

export interface LiveParts
  extends Omit<ChatParts, 'leaseMs' | 'takeUnpromptedTurn'>,
    Pick<LiveRouteParts, 'agents' | 'readers' | 'sendMessage' | 'findValidKeys' | 'admit'> {
  readonly endCall: EndCall;
  readonly speech: SpeechProviders;
}

const defaultLeaseMs = 15_000;
const renewalsPerLease = 3;
const defaultPollMs = 250;
/** A revoked key must not be used for longer than a second. */
const keyPollMs = 400;

/** Everything around the WebSocket of a call. */
export function createLive(kernel: Kernel, settings: LiveSettings, parts: LiveParts) {
  const { sealer, logger, accessTokens, newId, now } = kernel;
  const { clock, database, journal, endCall } = parts;
  const { leaseMs = defaultLeaseMs, pollMs = defaultPollMs } = settings;
  const delay = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
  const logFailure: LogCallFailure = (callId, what, error) => {
    const { name, message } = error as Error;
    logger.warn({ callId, err: { type: name, message } }, what);
  };
  const commands = createCommands({ database, sealer, newId, now, delay });
  const loopDelay = new LoopDelay();
  const startedAt = now();
  const spokenCalls = createSpokenCalls(clock, parts.speech, kernel.media, logFailure);
  const calls = createOwnedCalls({
    ...parts,
    // A process has a name of its own at each start, so that it does not take its former calls for its own.
    owner: newId('own'),
    leaseMs,
    startedAt,
    commands,
    delay,
    logFailure,
    newSpokenCall: spokenCalls.create,
    loadSpeech: spokenCalls.load,
    prepareGreeting: spokenCalls.prepareGreeting,
    onCount: (count) => loopDelay.observe(count > 0),
  });
  const sockets = new OpenSockets(parts.findValidKeys);

  const route = createLiveRoute({
    ...parts,
    live: calls,
    tokens: accessTokens,
    resumeKeys: createResumeKeys(sealer.deriveEach('resume-key')),
    delay,
    logFailure,
    endChat: (caller, callId) =>
      database.transaction(async (queries) => {
        const locked = await journal.lock(queries, caller.workspaceId, callId);
        if (locked === undefined || isTerminal(locked.call)) return;
        joinWithToken(caller.access, locked);
        await endCall(queries, locked, caller);
      }),
    sockets,
  });

  const tasks: readonly ScheduledTask[] = [
    { name: 'renew the leases of web calls', everyMs: leaseMs / renewalsPerLease, run: calls.renew },
    { name: 'answer requests to web calls', everyMs: pollMs, run: calls.serveCommands },
    {
      name: 'close the sockets of invalid keys',
      everyMs: keyPollMs,
      run: () => sockets.closeInvalid().then(() => false),
    },
    { name: 'remove old requests to web calls', everyMs: 60_000, run: commands.removeOld },
  ];
  const gauge = (name: string, help: string, value: () => number): MetricSource => ({
    name,
    type: 'gauge',
    help,
    values: () => [{ labels: {}, value: value() }],
  });
  const metrics = [
    gauge('live_sockets_open', 'Open WebSockets of calls and chats.', () => sockets.count),
    gauge('voice_calls_ongoing', 'Web calls that this process holds.', () => calls.count),
  ];

  return {
    calls,
    route,
    tasks,
    metrics,
    startedAt,
    /** Only a process that has voice calls can be too busy for another. */
    isBusy: (): boolean => calls.count > 0 && (settings.isBusy?.() ?? loopDelay.isBusy),
    close: async (): Promise<void> => {
      await calls.close();
      loopDelay.stop();
    },
  };
}
