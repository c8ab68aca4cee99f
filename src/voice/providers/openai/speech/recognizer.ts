import { FormData, request } from 'undici';
import { parseForeignJson } from '../../../../contract/foreign-json.ts';
import { bytesOf } from '../../../audio/pcm.ts';
import { wavHeader } from '../../../audio/wav.ts';
import type { Stt, SttEvents, SttOptions, SttStream } from '../../../speech-ports.ts';
import { primaryLanguage } from '../../../text/language.ts';
import { statusFailure } from '../../connection/failure.ts';
import { keywordsWithin } from '../../connection/keyword-budget.ts';
import { openAi } from '../listing.ts';
import { headersOf, type OpenAiSpeechParts, sentModel } from './account.ts';

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
    notApplied: ({ keywords }) =>
      keywordsWithin(keywords, keywordLimits).length < keywords.length
        ? [{ field: 'boostedKeywords', reason: 'clamped' }]
        : [],
    open: (options, events) => new OpenAiRecognition(parts, options, events),
  };
}

class OpenAiRecognition implements SttStream {
  private readonly parts: OpenAiSpeechParts;
  private readonly options: SttOptions;
  private readonly events: SttEvents;
  private readonly abort = new AbortController();
  private segment: Int16Array[] = [];
  private samples = 0;
  private written = 0;
  /** Results are reported in the order in which they were asked for. */
  private last: Promise<void> = Promise.resolve();
  private isOver = false;

  constructor(parts: OpenAiSpeechParts, options: SttOptions, events: SttEvents) {
    this.parts = parts;
    this.options = options;
    this.events = events;
  }

  write(samples: Int16Array): void {
    this.segment.push(samples);
    this.samples += samples.length;
    this.written += samples.length;
  }

  flush(): void {
    const { segment, samples, options } = this;
    const endMs = (this.written * 1000) / options.rate;
    const isEmpty = (samples * 1000) / options.rate < minMs;
    this.segment = [];
    this.samples = 0;
    const text = isEmpty ? Promise.resolve('') : this.transcribe(segment, samples);
    // Handled below; it may fail before the one that is waited for first.
    text.catch(() => {});
    this.last = this.last.then(async () => {
      const result = await text;
      if (!this.isOver) this.events.final(result, [], endMs);
    });
    this.last.catch((error: unknown) => this.fail(error));
  }

  close(): void {
    this.isOver = true;
    this.abort.abort();
  }

  private async transcribe(segment: readonly Int16Array[], samples: number): Promise<string> {
    const { parts, options } = this;
    const stopWaiting = parts.clock.after(requestMs, () =>
      this.fail(new RejectedAudio(`${openAi.name} did not answer`)),
    );
    try {
      const response = await request(`${parts.baseUrl}/audio/transcriptions`, {
        method: 'POST',
        headers: headersOf(parts),
        body: formOf(parts, options, segment, samples),
        dispatcher: parts.dispatcher,
        signal: this.abort.signal,
      });
      const { statusCode, headers } = response;
      if (statusCode !== 200) {
        await response.body.dump().catch(() => {});
        const failure = statusFailure(openAi.name, statusCode, String(headers['retry-after'] ?? ''));
        throw new RejectedAudio(failure.detail, failure.isFinal);
      }
      const body = parseForeignJson(await response.body.text()) as { readonly text?: unknown } | null;
      if (typeof body?.text !== 'string') throw new RejectedAudio(`${openAi.name} sent malformed data`);
      return body.text.trim();
    } finally {
      stopWaiting();
    }
  }

  private fail(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.abort.abort();
    if (error instanceof RejectedAudio) this.events.failed(error.message, error.isFinal);
    else this.events.failed(`${openAi.name} closed the connection`);
  }
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
  form.set('model', sentModel(parts, models[mode]));
  form.set('language', primaryLanguage(language));
  form.set('response_format', 'json');
  const kept = keywordsWithin(keywords, keywordLimits);
  if (kept.length > 0) form.set('prompt', kept.join(', '));
  return form;
}

class RejectedAudio extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}
