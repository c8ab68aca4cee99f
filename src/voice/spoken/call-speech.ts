import type { Agent } from '../../contract/agents/agent.ts';
import type { NotApplied } from '../policy.ts';
import { browserProviderName } from '../providers/browser.ts';
import { testProviderName } from '../providers/test/test-speech.ts';
import type { SpeechProviders } from '../speech-ports.ts';
import type { SpeechCache } from './speech-cache.ts';
import type { CallSpeech } from './spoken-session-parts.ts';

/** A list that never ends is a defect of the providers. */
const maxProviders = 5;

/** The speech that a call of this agent has, and what of the agent's choice is not there. */
export function callSpeech(
  providers: SpeechProviders,
  { sttProvider, ttsProvider, language }: Agent,
  cache: SpeechCache,
): CallSpeech {
  const isRecognizedByCaller = sttProvider === browserProviderName;
  const recognizers = isRecognizedByCaller
    ? []
    : withReplacements(sttProvider, providers.stt(sttProvider, language), ({ name }) =>
        providers.sttAfter?.(name, language),
      );
  const [tts = null, ...otherTts] = withReplacements(ttsProvider, providers.tts(ttsProvider, language), ({ name }) =>
    providers.ttsAfter?.(name, language),
  );
  const notApplied: NotApplied[] = [];
  if (recognizers.length === 0 && !isRecognizedByCaller) {
    notApplied.push({ field: 'sttProvider', reason: 'provider_not_configured' });
  }
  if (tts === null) notApplied.push({ field: 'ttsProvider', reason: 'provider_not_configured' });
  const detector = providers.detector();
  return { recognizers, isRecognizedByCaller, tts, otherTts, detector, cache, notApplied };
}

/** Loads what the call hears and speaks with. Null if there is nothing to load. */
export function loadSpeech({ recognizers, isRecognizedByCaller, tts, detector }: CallSpeech): Promise<void> | null {
  const [recognizer] = recognizers;
  const hasDetector = isRecognizedByCaller || (recognizer !== undefined && recognizer.name !== testProviderName);
  const loading = [recognizer, tts, hasDetector ? detector : null].flatMap((part) => part?.load?.() ?? []);
  return loading.length === 0 ? null : Promise.all(loading).then(() => {});
}

/** With `auto` also those that replace one that has failed. */
function withReplacements<Part>(
  name: string,
  first: Part | null,
  after: (part: Part) => Part | null | undefined,
): Part[] {
  const list: Part[] = [];
  let next = first;
  while (next !== null && list.length < maxProviders) {
    list.push(next);
    next = name === 'auto' ? (after(next) ?? null) : null;
  }
  return list;
}
