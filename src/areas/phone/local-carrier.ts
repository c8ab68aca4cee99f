import type { LocalCarrier } from '../../voice/carriers/local/server.ts';
import type { Clock } from '../../voice/clock.ts';
import type { SpeechProviders } from '../../voice/speech-ports.ts';

/** An account at the local carrier. */
export interface LocalAccount {
  readonly accountSid: string;
  readonly authToken: string;
}

/** The carrier behind provider `test`. It runs once for all processes of the service. */
export interface LocalCarrierHost {
  /** Starts it if it does not run yet, and adds the account if it is new. Resolves to its address. */
  open(account: LocalAccount): Promise<string>;
  close(): Promise<void>;
}

export interface LocalCarrierParts {
  readonly now: () => number;
  readonly clock?: Clock | undefined;
  /** The voices of its phones. */
  readonly speech: () => Promise<Pick<SpeechProviders, 'tts' | 'voices'>>;
}

/**
 * The local carrier is loaded and starts to listen with its first account: a service without test carriers needs no memory
 * for it.
 */
export function createLocalCarrierHost({ now, clock, speech }: LocalCarrierParts): LocalCarrierHost {
  let started: Promise<LocalCarrier> | null = null;
  let isClosed = false;
  const accounts = new Set<string>();

  const start = async (): Promise<LocalCarrier> => {
    const { startLocalCarrier } = await import('../../voice/carriers/local/server.ts');
    const voices = await embeddedVoices(await speech());
    return startLocalCarrier({ now, ...(clock === undefined ? {} : { clock }), voiceOf: voices });
  };

  return {
    open: async ({ accountSid, authToken }) => {
      if (isClosed) throw new Error('The local carrier is closed.');
      started ??= start();
      const local = await started.catch((error: unknown) => {
        started = null;
        throw error;
      });
      // Added again, it would forget its numbers.
      if (!accounts.has(accountSid)) local.addAccount({ accountSid, authToken, numbersOnDemand: true });
      accounts.add(accountSid);
      return local.address;
    },
    close: async () => {
      isClosed = true;
      await (await started?.catch(() => null))?.close();
    },
  };
}

/** Voices are resampled from this rate to that of phones. */
const voiceRate = 16_000;

type VoiceOf = NonNullable<
  Parameters<typeof import('../../voice/carriers/local/server.ts').startLocalCarrier>[0]['voiceOf']
>;

/** The embedded recognizer understands it best, and agents usually have another one: who speaks is easy to tell. */
const clearestVoice = 'kal';

/** An embedded voice of each language. */
async function embeddedVoices(speech: Pick<SpeechProviders, 'tts' | 'voices'>): Promise<VoiceOf> {
  const voices = await speech.voices('embedded', null).catch(() => []);
  return (language) => {
    const [spoken] = language.split('-');
    const ofLanguage = voices.filter((each) => each.languages.some((tag) => tag.split('-')[0] === spoken));
    const voice = ofLanguage.find(({ voiceId }) => voiceId === clearestVoice) ?? ofLanguage[0];
    const tts = speech.tts('embedded', language);
    return voice === undefined || tts === null ? null : { tts, voiceId: voice.voiceId, rate: voiceRate };
  };
}
