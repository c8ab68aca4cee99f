import type { Logger } from 'pino';
import type { Agent } from '../../contract/agents/agent.ts';
import type { PhoneNumber } from '../../contract/phone/phone-number.ts';
import type { NumberStore } from './numbers/store.ts';
import type { PhoneCalls } from './phone-calls.ts';

export interface SpeechLoadingParts {
  readonly numbers: Pick<NumberStore, 'withAgent'>;
  /** The agent that answers a number, if there is one. */
  readonly agentOf: (phoneNumber: PhoneNumber) => Promise<Agent | undefined>;
  readonly loadSpeech: PhoneCalls['loadSpeech'];
  readonly logger: Logger;
}

/** Agents mostly share their recognizers and voices. */
const maxNumbers = 20;

/**
 * Loads the speech of the agents that answer numbers before somebody calls: a caller is connected at once, and models
 * take seconds to load. Without such a number nothing is loaded.
 */
export function createSpeechLoading({ numbers, agentOf, loadSpeech, logger }: SpeechLoadingParts) {
  let starting: Promise<void> = Promise.resolve();

  const load = async (phoneNumber: PhoneNumber): Promise<void> => {
    const agent = phoneNumber.inbound.enabled ? await agentOf(phoneNumber) : undefined;
    if (agent !== undefined) loadSpeech(agent);
  };

  const loadAll = async (): Promise<void> => {
    try {
      for (const phoneNumber of await numbers.withAgent(maxNumbers)) await load(phoneNumber);
    } catch (error) {
      const { name, message } = error as Error;
      logger.warn({ err: { type: name, message } }, 'speech for phone calls could not be preloaded');
    }
  };

  return {
    /** A number was imported, or is answered by another agent. */
    load,
    background: {
      start: () => {
        starting = loadAll();
      },
      stop: () => starting,
    },
  };
}
