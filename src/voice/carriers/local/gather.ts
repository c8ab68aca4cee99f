import { pauseVerb, play, say } from './prompts.ts';
import { actionOf, type Instruction, secondsOf, type VerbEnd, type VerbRun } from './script-context.ts';
import { Interrupted, untilAborted } from './waiting.ts';

type Result = { readonly digits: string; readonly key: string | null } | { readonly speech: string } | null;

/** Collects keys and words of the phone. The carrier knows the words: its phones are scripted. */
export async function gather(run: VerbRun): Promise<VerbEnd> {
  const { verb, leg } = run;
  leg.hasMedia();
  const result = await collect(run);
  const isEmpty = result === null || ('digits' in result && result.digits === '' && result.key === null);
  if (isEmpty && verb.attributes.actionOnEmptyResult !== 'true') return 'next';
  return actionOf(run, parametersOf(result), sameDocument(run, parametersOf(result)));
}

function parametersOf(result: Result): Record<string, string> {
  if (result === null) return { Digits: '' };
  if ('speech' in result) return { SpeechResult: result.speech, Confidence: '0.95' };
  return { Digits: result.digits, ...(result.key === null ? {} : { FinishedOnKey: result.key }) };
}

/** Without an action, the document that is running is requested again. */
function sameDocument({ documentUrl, verb }: VerbRun, parameters: Record<string, string>): Instruction | 'next' {
  if (documentUrl === null) return 'next';
  return { url: documentUrl, method: verb.attributes.method === 'GET' ? 'GET' : 'POST', parameters };
}

async function collect(run: VerbRun): Promise<Result> {
  const { verb, leg, signal, context } = run;
  const { input = 'dtmf', finishOnKey = '#', numDigits, timeout } = verb.attributes;
  const maxDigits = numDigits === undefined ? Number.POSITIVE_INFINITY : Number(numDigits);
  const timeoutMs = secondsOf(timeout === 'auto' ? undefined : timeout, 5);
  const prompts = new AbortController();
  let digits = '';
  let cancelTimeout = (): void => {};
  try {
    return await untilAborted<Result>(signal, (resolve, reject) => {
      const restart = (): void => {
        cancelTimeout();
        cancelTimeout = context.clock.after(timeoutMs, () => resolve(digits === '' ? null : { digits, key: null }));
      };
      if (input.includes('dtmf')) {
        leg.keySink = (digit) => {
          prompts.abort();
          if (finishOnKey !== '' && finishOnKey.includes(digit)) resolve({ digits, key: digit });
          else digits += digit;
          if (digits.length >= maxDigits) resolve({ digits, key: null });
          else restart();
        };
      }
      if (input.includes('speech')) {
        leg.wordSink = (text) => {
          if (digits === '') resolve({ speech: text });
        };
      }
      prompt(run, AbortSignal.any([signal, prompts.signal])).then(restart, (error: Error) => {
        if (!(error instanceof Interrupted)) reject(error);
      });
      return undefined;
    });
  } finally {
    prompts.abort();
    cancelTimeout();
    leg.keySink = null;
    leg.wordSink = null;
  }
}

async function prompt(run: VerbRun, signal: AbortSignal): Promise<void> {
  for (const verb of run.verb.children) {
    const nested = { ...run, verb, signal };
    if (verb.name === 'Say') await say(nested);
    else if (verb.name === 'Play') await play(nested);
    else await pauseVerb(nested);
  }
}
