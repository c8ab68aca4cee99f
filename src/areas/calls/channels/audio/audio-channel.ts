import type { Agent } from '../../../../contract/agents/agent.ts';
import type { MetricSource } from '../../../../http/metric-source.ts';
import type { ScheduledTask } from '../../../../jobs/schedule.ts';
import type { SpeechProviders } from '../../../../voice/speech-ports.ts';
import { lineRate } from '../../../../voice/transports/line-output.ts';
import type { Kernel } from '../../../area.ts';
import type { ConversationParts } from '../../conversation/conversation.ts';
import { createCommands } from './commands.ts';
import { LoopDelay } from './loop-delay.ts';
import { createOwnedCalls, type OwnedCallsParts } from './owned-calls.ts';
import { createSpokenCalls } from './spoken-calls.ts';

export interface AudioSettings {
  /** How long a lost process keeps its calls. */
  readonly leaseMs?: number;
  /** How often requests of other processes are looked for. */
  readonly pollMs?: number;
  /** Replaces the measured delay of the event loop. */
  readonly isBusy?: () => boolean;
}

export interface AudioChannelParts
  extends ConversationParts,
    Pick<
      OwnedCallsParts,
      'database' | 'store' | 'journal' | 'prepare' | 'customLlm' | 'phone' | 'logFailure' | 'delay'
    > {
  readonly speechOf: (workspaceId: string) => SpeechProviders;
}

const defaultLeaseMs = 10_000;
const defaultPollMs = 250;

export type AudioChannel = ReturnType<typeof createAudioChannel>;

/** The spoken calls that this process owns, however their callers are connected. */
export function createAudioChannel(kernel: Kernel, settings: AudioSettings, parts: AudioChannelParts) {
  const { sealer, newId, now } = kernel;
  const { clock, database, delay, logFailure } = parts;
  const { leaseMs = defaultLeaseMs, pollMs = defaultPollMs } = settings;
  const commands = createCommands({ database, sealer, newId, now, delay });
  const loopDelay = new LoopDelay();
  const startedAt = now();
  const spokenCalls = createSpokenCalls(clock, parts.speechOf, kernel.spool.folder, logFailure);
  const calls = createOwnedCalls({
    ...parts,
    // A process has a name of its own at each start, so that it does not take its former calls for its own.
    owner: newId('own'),
    leaseMs,
    startedAt,
    spoolId: kernel.spool.id,
    commands,
    newSpokenCall: spokenCalls.create,
    loadSpeech: spokenCalls.load,
    prepareOpening: spokenCalls.prepareOpening,
    onCount: (count) => loopDelay.observe(count > 0),
    logUnrenewed: ({ name, message }) =>
      kernel.logger.warn({ err: { type: name, message } }, 'leases of voice calls cannot be renewed'),
  });
  const tasks: readonly ScheduledTask[] = [
    { name: 'answer requests to voice calls', everyMs: pollMs, run: calls.serveCommands },
    { name: 'remove old requests to voice calls', everyMs: 60_000, run: commands.removeOld },
  ];
  const metric: MetricSource = {
    name: 'voice_calls_ongoing',
    type: 'gauge',
    help: 'Voice calls that this process owns.',
    values: () => [{ labels: {}, value: calls.count }],
  };

  return {
    calls,
    tasks,
    metric,
    startedAt,
    /** An agent may be called at any time. */
    loadSpeech: (agent: Agent): void => void spokenCalls.load(agent),
    /** A phone is about to ring: its caller must hear the first words at once. */
    prepareSpeech: (agent: Agent, isRecorded: boolean): void => {
      const opening = { rate: lineRate, hasNotice: isRecorded };
      void Promise.resolve(spokenCalls.load(agent)).then(() => spokenCalls.prepareOpening(agent, opening));
    },
    /** Only a process that has voice calls can be too busy for another. */
    isBusy: (): boolean => calls.count > 0 && (settings.isBusy?.() ?? loopDelay.isBusy),
    close: async (): Promise<void> => {
      await calls.close();
      loopDelay.stop();
    },
  };
}
