import { type Dispatcher, request as send } from 'undici';
import type { Llm, LlmEvents, LlmRequest } from '../../llm.ts';
import { createDispatcher } from '../connection/provider-http.ts';
import { headersOf, type OpenAiAccount } from './account.ts';
import { readEvents } from './event-stream.ts';
import { MalformedReply, ModelError, malformedError, reportedError, statusError } from './failure.ts';
import { type LimitField, LimitFields, otherField } from './limit-field.ts';
import { dialectOf, requestBody } from './messages.ts';
import { ReplyReader, ReportedError } from './reply-reader.ts';

export interface OpenAiLlm extends Llm {
  /** Closes the connections. Replies in progress fail. */
  close(): Promise<void>;
}

/** For the headers of the response. Replies have timeouts of their own, which are shorter. */
const responseMs = 60_000;
const maxModels = 1000;

/** Chat completions of OpenAI, or of any server with the same protocol. */
export function createOpenAiLlm(options: OpenAiAccount): OpenAiLlm {
  const { apiKey, baseUrl, modelMap } = options;
  const dispatcher = createDispatcher(options);
  const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`;
  const dialect = dialectOf(baseUrl);
  const limitFields = new LimitFields();
  /** Models whose replies begin with reasoning, without a tag that opens it. */
  const startInside = new Set<string>();
  const sentModel = (model: string): string => modelMap.get(model) ?? modelMap.get('*') ?? model;

  const post = (body: object, signal: AbortSignal): Promise<Dispatcher.ResponseData> =>
    // Redirects are not followed.
    send(url, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream, application/json',
        'content-type': 'application/json',
        ...headersOf(options),
      },
      body: JSON.stringify(body),
      dispatcher,
      signal,
      headersTimeout: responseMs,
    });

  const open = async (request: LlmRequest, field: LimitField, signal: AbortSignal) => {
    const response = await post(requestBody(request, sentModel(request.model), dialect, field), signal);
    const { statusCode: status, headers, body } = response;
    if (status < 200 || status > 299) throw await statusError({ status, headers }, body, apiKey);
    return response;
  };

  /** Asks once more with the other field, if the request may have been refused because of this one. */
  const openWithLimit = async (request: LlmRequest, signal: AbortSignal) => {
    const model = sentModel(request.model);
    const field = limitFields.of(model);
    try {
      return { field, isOtherRefused: false, response: await open(request, field, signal) };
    } catch (error) {
      const refusal = error instanceof ModelError ? error.refusal : null;
      if (request.maxTokens === undefined || refusal === null) throw error;
      if (!limitFields.isWorthARetry(model, refusal)) throw error;
      const other = otherField(field);
      // The first refusal is the one that says what is wrong, if both are refused.
      const response = await open(request, other, signal).catch(() => Promise.reject(error));
      return { field: other, isOtherRefused: true, response };
    }
  };

  const stream = async (request: LlmRequest, events: LlmEvents, signal: AbortSignal): Promise<void> => {
    const model = sentModel(request.model);
    const { field, isOtherRefused, response } = await openWithLimit(request, signal);
    const reader = new ReplyReader(events, startInside.has(model));
    await readReply(response, reader, apiKey, signal);
    if (signal.aborted) return;
    if (reader.isUnopened && startInside.size < maxModels) startInside.add(model);
    if (request.maxTokens === undefined) return;
    const isLimitExceeded = (reader.usage?.completionTokens ?? 0) > request.maxTokens;
    limitFields.replied(model, field, isOtherRefused, isLimitExceeded);
  };

  return {
    provider: 'openai',
    sentModel,
    reply(request, events) {
      const stop = new AbortController();
      stream(request, events, stop.signal).then(
        () => {
          if (!stop.signal.aborted) events.done();
        },
        (error: unknown) => {
          if (stop.signal.aborted) return;
          if (error instanceof ModelError) events.failed(error.message, error.failure);
          else events.failed('the model closed the connection', {});
        },
      );
      return () => stop.abort();
    },
    close: () => dispatcher.destroy(),
  };
}

/** Both shapes of answers are understood: a stream of pieces, and the whole reply as JSON. */
async function readReply(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  reader: ReplyReader,
  apiKey: string | null,
  signal: AbortSignal,
): Promise<void> {
  let whole: string | null = null;
  try {
    whole = await readEvents(body, (data) => {
      if (!signal.aborted) reader.readEvent(data);
    });
    if (signal.aborted) return;
    if (whole !== null) reader.readWhole(whole);
    if (!reader.hasPieces) throw new MalformedReply();
    if (!reader.isFinished) throw new ModelError('the model closed the connection');
    reader.end();
  } catch (error) {
    body.destroy();
    if (error instanceof ReportedError) throw reportedError({ status, headers }, error.error, apiKey);
    throw error instanceof MalformedReply ? malformedError({ status, headers }, whole, apiKey) : error;
  }
}
