import { FormData } from 'undici';
import { parseForeignJson } from '../../../../contract/foreign-json.ts';
import { bytesOf } from '../../../audio/pcm.ts';
import { wavHeader } from '../../../audio/wav.ts';
import type { Stt, SttEvents, SttOptions, SttStream } from '../../../speech-ports.ts';
import { primaryLanguage } from '../../../text/language.ts';
import { keywordsNotApplied, keywordsWithin } from '../../connection/keyword-budget.ts';
import { speechModel } from '../account.ts';
import { openAi } from '../listing.ts';
import { type OpenAiSpeechParts, postSpeech, RejectedSpeech } from './request.ts';

/** https://platform.openai.com/docs/guides/speech-to-text. */
const models = { fast: 'gpt-4o-mini-transcribe', accurate: 'gpt-4o-transcribe' } as const;
/** The prompt of `whisper-1`, and of servers that have its model: https://platform.openai.com/docs/guides/speech-to-text#prompting. */
const keywordLimits = { words: 100, tokens: 224 };
/** Shorter audio is rejected, and says nothing. */
const minMs = 100;
const requestMs = 10_000;

/** Transcription by OpenAI, or by any server with the same route: a request for everything that was said at a time. */
export function createOpenAiRecognizer(parts: OpenAiSpeechParts): Stt {
  return {
    name: openAi.name,
    hasPartials: false,
    waitMs: 3000,
    notApplied: ({ keywords }) => keywordsNotApplied(keywords, keywordLimits),
    open: (options, events) => openStream(parts, options, events),
  };
}

function openStream(parts: OpenAiSpeechParts, options: SttOptions, events: SttEvents): SttStream {
  const abort = new AbortController();
  let segment: Int16Array[] = [];
  let samples = 0;
  let written = 0;
  /** Results are reported in the order in which they were asked for. */
  let last: Promise<void> = Promise.resolve();
  let isOver = false;
  const fail = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    abort.abort();
    if (error instanceof RejectedSpeech) events.failed(error.message, error.isFinal);
    else events.failed(`${openAi.name} closed the connection`);
  };
  const transcribe = async (form: FormData): Promise<string> => {
    const failWith = (detail: string) => new RejectedSpeech({ detail: `${openAi.name} ${detail}`, isFinal: false });
    const stopWaiting = parts.clock.after(requestMs, () => fail(failWith('did not answer')));
    try {
      const response = await postSpeech(parts, '/audio/transcriptions', { body: form, signal: abort.signal });
      const body = parseForeignJson(await response.text()) as { readonly text?: unknown } | null;
      if (typeof body?.text !== 'string') throw failWith('sent malformed data');
      return body.text.trim();
    } finally {
      stopWaiting();
    }
  };
  return {
    write(added) {
      segment.push(added);
      samples += added.length;
      written += added.length;
    },
    flush() {
      const endMs = (written * 1000) / options.rate;
      const isEmpty = (samples * 1000) / options.rate < minMs;
      const text = isEmpty ? Promise.resolve('') : transcribe(formOf(parts, options, segment, samples));
      segment = [];
      samples = 0;
      // Handled below; it may fail before the one that is waited for first.
      text.catch(() => {});
      last = last.then(async () => {
        const result = await text;
        if (!isOver) events.final(result, [], endMs);
      });
      last.catch(fail);
    },
    close() {
      isOver = true;
      abort.abort();
    },
  };
}

function formOf(
  parts: OpenAiSpeechParts,
  { rate, language, keywords, mode }: SttOptions,
  segment: readonly Int16Array[],
  samples: number,
): FormData {
  const form = new FormData();
  const audio = Buffer.concat([wavHeader(rate, 1, samples * 2), ...segment.map(bytesOf)]);
  form.set('file', new Blob([audio], { type: 'audio/wav' }), 'audio.wav');
  form.set('model', speechModel(parts, models[mode]));
  form.set('language', primaryLanguage(language));
  form.set('response_format', 'json');
  const kept = keywordsWithin(keywords, keywordLimits);
  if (kept.length > 0) form.set('prompt', kept.join(', '));
  return form;
}
