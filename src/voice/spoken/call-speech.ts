import type { Agent } from '../../contract/agent.ts';
import type { NotApplied } from '../policy.ts';
import { browserProviderName } from '../providers/browser.ts';
import type { SpeechProviders, Stt } from '../speech-ports.ts';
import type { SpeechCache } from './speech-cache.ts';
import type { CallSpeech } from './spoken-session-parts.ts';

/** A list of recognizers that never ends is a defect of the providers. */
const maxRecognizers = 5;

/** The speech that a call of this agent has, and what of the agent's choice is not there. */
export function callSpeech(
  providers: SpeechProviders,
  { sttProvider, ttsProvider, language }: Agent,
  cache: SpeechCache,
): CallSpeech {
  const isRecognizedByCaller = sttProvider === browserProviderName;
  const recognizers = isRecognizedByCaller ? [] : recognizersFor(providers, sttProvider, language);
  const tts = providers.tts(ttsProvider, language);
  const notApplied: NotApplied[] = [];
  if (recognizers.length === 0 && !isRecognizedByCaller) {
    notApplied.push({ field: 'sttProvider', reason: 'provider_not_configured' });
  }
  if (tts === null) notApplied.push({ field: 'ttsProvider', reason: 'provider_not_configured' });
  const detector = providers.detector();
  return { recognizers, isRecognizedByCaller, tts, detector, cache, notApplied };
}

/** With `auto` also those that replace one that has failed. */
function recognizersFor(providers: SpeechProviders, name: string, language: string): Stt[] {
  const list: Stt[] = [];
  let next = providers.stt(name, language);
  while (next !== null && list.length < maxRecognizers) {
    list.push(next);
    next = name === 'auto' ? (providers.sttAfter?.(next.name, language) ?? null) : null;
  }
  return list;
}
