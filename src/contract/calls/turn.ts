import { z } from 'zod';
import { turnLatency } from './latency.ts';

const offset = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description: `${description}, in milliseconds from the start of the call.`, examples: [example] });

const word = z
  .strictObject({
    text: z.string().meta({ description: 'The word, as it appears in the text.', examples: ['11月20日の'] }),
    startMs: offset('When it began', 6120),
    endMs: offset('When it ended', 7050),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: 'The confidence of the recognition, from 0 to 1. Null: unknown.', examples: [null] }),
  })
  .meta({ id: 'TurnWord', description: 'When a word was said.' });

const toolCall = z
  .strictObject({
    id: z
      .string()
      .max(64)
      .meta({ description: 'The id of the tool call.', examples: ['tcl_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
    name: z
      .string()
      .max(64)
      .meta({ description: 'The name of the tool.', examples: ['book'] }),
    arguments: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The arguments of the call.', examples: [{ day: '2026-11-20' }] }),
    result: z
      .unknown()
      .meta({ description: 'What it returned, or the error. Null while it runs.', examples: [{ booked: true }] }),
    isError: z.boolean().meta({ description: 'Whether it failed.', examples: [false] }),
    isExample: z.boolean().meta({
      description: 'Whether the tool was not called, because the call uses example results.',
      examples: [false],
    }),
    durationMs: z
      .int()
      .min(0)
      .meta({ description: 'How long it took, in milliseconds.', examples: [300] }),
  })
  .meta({ id: 'TurnToolCall', description: 'A tool call.' });

const id = (description: string, example: string) =>
  z
    .string()
    .max(64)
    .meta({ description, examples: [example] });

const source = z
  .strictObject({
    knowledgeBaseId: id('The knowledge base.', 'kb_01m2k7qv3h0000x4t9w8c5n1r6ybdz'),
    documentId: id('The document.', 'doc_01m2k7qv3h0000x4t9w8c5n1r6ybdz'),
    documentRevision: z
      .int()
      .min(1)
      .meta({ description: 'The revision of the document.', examples: [3] }),
    chunkId: id('The chunk.', 'chk_01m2k7qv3h0000x4t9w8c5n1r6ybdz'),
    score: z
      .number()
      .min(0)
      .meta({ description: 'The score of the chunk in the search.', examples: [0.31] }),
  })
  .meta({ id: 'KnowledgeSource', description: 'A chunk of a document that the model was given for the reply.' });

/** One entry of a transcript. */
export const turn = z
  .strictObject({
    index: z
      .int()
      .min(0)
      .meta({ description: 'The position in the transcript, from 0, without gaps.', examples: [2] }),
    role: z.enum(['agent', 'caller', 'tool']).meta({ description: 'Who produced the turn.', examples: ['agent'] }),
    source: z
      .enum(['begin', 'engine', 'reminder', 'waiting', 'fallback', 'control'])
      .nullable()
      .meta({
        description:
          'Why the agent said it: `begin` is the opening, `waiting` is said while a tool or a reply takes long, `fallback` if a reply failed, `control` at the request of the API. Null for callers and tools.',
        examples: ['engine'],
      }),
    text: z.string().meta({
      description: 'What was said. For the agent: what the caller heard, even after an interruption. Empty for tools.',
      examples: ['11月20日の15時ですね。お名前を'],
    }),
    unspokenText: z
      .string()
      .max(100_000)
      .nullable()
      .meta({ description: 'The rest of an interrupted agent turn.', examples: ['教えていただけますか。'] }),
    startMs: offset('When it began', 6120),
    endMs: offset('When it ended', 8340),
    words: z.array(word).meta({ description: 'When each word was said. Empty if unknown.' }),
    interrupted: z.boolean().meta({ description: 'Whether the caller spoke over it.', examples: [true] }),
    latency: turnLatency.nullable().meta({ description: 'How long the reply took. Null if the turn is not a reply.' }),
    sources: z.array(source).meta({
      description:
        'Agent turns: what the reply was based on, best first. Empty for access tokens, and if no knowledge was used.',
      examples: [[]],
    }),
    toolCall: toolCall.nullable().meta({ description: 'For tools: the call. Null otherwise.', examples: [null] }),
  })
  .meta({ id: 'Turn', description: 'An entry of a transcript.' });

export type Turn = z.infer<typeof turn>;
