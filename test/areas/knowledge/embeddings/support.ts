import type { ServerResponse } from 'node:http';
import { after } from 'node:test';
import { createEmbeddings, type Embeddings } from '../../../../src/areas/knowledge/embeddings/embeddings.ts';
import type { EmbeddingsConfig } from '../../../../src/config.ts';
import { httpReceiver } from '../../../support/receiver.ts';

export interface SentRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly input: readonly string[]; readonly dimensions?: number };
}

export interface TestProvider {
  readonly baseUrl: string;
  readonly requests: SentRequest[];
  /** What it answers from now on. Undefined: as it should. */
  answer: ((request: SentRequest, response: ServerResponse) => void) | undefined;
}

/** The same vector for the same text. */
export function vectorOf(text: string, dimensions: number): number[] {
  return Array.from({ length: dimensions }, (_, index) =>
    Math.sin((text.codePointAt(index % text.length) ?? 1) + index),
  );
}

export function sendVectors({ body }: SentRequest, response: ServerResponse, dimensions: number): void {
  const data = body.input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, dimensions) }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', data, model: body.model, usage: { prompt_tokens: 1 } }));
}

/** A provider of embeddings on this machine. */
export async function startProvider(dimensions = 8): Promise<TestProvider> {
  const { port } = await httpReceiver(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const sent: SentRequest = { path: request.url ?? '', authorization: request.headers.authorization, body };
    provider.requests.push(sent);
    if (provider.answer === undefined) sendVectors(sent, response, dimensions);
    else provider.answer(sent, response);
  });
  const provider: TestProvider = { baseUrl: `http://127.0.0.1:${port}/v1`, requests: [], answer: undefined };
  return provider;
}

export function connect(provider: Pick<TestProvider, 'baseUrl'>, config: Partial<EmbeddingsConfig> = {}): Embeddings {
  const given = { model: 'test-model', dimensions: null, apiKey: null, baseUrl: provider.baseUrl, ...config };
  const embeddings = createEmbeddings(given, {});
  after(() => embeddings.close());
  return embeddings;
}
