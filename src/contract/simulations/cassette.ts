import { z } from 'zod';
import { text } from '../text.ts';

const digest = (description: string) =>
  text({ min: 1, max: 64 }).meta({ description, examples: ['0f1e2d3c4b5a69788796a5b4c3d2e1f0'] });

const tokens = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [120] });

const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, name: string, fields: Fields) =>
  z
    .object({
      type: z.enum([type]).meta({ description: 'What arrived.', examples: [type] }),
      atMs: z
        .number()
        .min(0)
        .max(600_000)
        .meta({ description: 'When it arrived, in milliseconds after the request.', examples: [310] }),
      ...fields,
    })
    .meta({ id: `Cassette${name}`, description: 'A part of a recorded reply.' });

const cassetteEvent = z
  .union([
    event('text', 'Text', {
      text: text({ max: 20_000 }).meta({ description: 'A piece of the reply.', examples: ['When would '] }),
    }),
    event('tool', 'ToolCall', {
      name: text({ min: 1, max: 64 }).meta({ description: 'The tool that the model calls.', examples: ['book'] }),
      arguments: text({ max: 65_536 }).meta({
        description: 'The arguments, as the model wrote them: normally JSON.',
        examples: ['{"day":"2026-11-20"}'],
      }),
    }),
    event('usage', 'Usage', {
      promptTokens: tokens('The tokens of the request.'),
      cachedTokens: tokens('How many of these the provider had cached.'),
      completionTokens: tokens('The tokens of the reply.'),
    }),
    event('done', 'Done', {}),
    event('failed', 'Failure', {
      detail: text({ max: 500 }).meta({ description: 'Why the reply failed.', examples: ['HTTP 429 of the model'] }),
    }),
  ])
  .meta({ id: 'CassetteEvent', description: 'A part of a recorded reply.' });

const recordedReply = z
  .object({
    about: text({ max: 500 }).meta({
      description: 'A human-readable note of what this is the reply to.',
      examples: ['I would like to book a table.'],
    }),
    model: text({ min: 1, max: 255 }).meta({ description: 'The model.', examples: ['gpt-5.4-mini'] }),
    instructions: digest('Identifies the system messages: it changes with the prompt.'),
    conversation: digest('Identifies the conversation so far.'),
    tools: digest('Identifies the tools that the model was offered.'),
    settings: digest('Identifies the other parameters, such as the temperature.'),
    events: z
      .array(cassetteEvent)
      .max(5000)
      .meta({ description: 'The parts of the reply, in order. A canceled reply does not end with `done`.' }),
  })
  .meta({ id: 'RecordedReply', description: 'A recorded reply of a model.' });

const recordedExchange = z
  .object({
    about: text({ max: 500 }).meta({
      description: 'A human-readable note of what this is the response to.',
      examples: ['"I would like to book a table."'],
    }),
    request: z
      .enum(['connect', 'response_required', 'reminder_required'])
      .meta({ description: 'The type of request.', examples: ['response_required'] }),
    conversation: digest('Identifies the conversation so far.'),
    frames: z
      .array(
        z
          .object({
            atMs: z
              .number()
              .min(0)
              .max(600_000)
              .meta({ description: 'When it arrived, in milliseconds after the request.', examples: [310] }),
            frame: text({ max: 262_144 }).meta({
              description: 'The frame that the server sent, as JSON.',
              examples: ['{"response_type":"response","response_id":1,"content":"Hello.","content_complete":true}'],
            }),
          })
          .meta({ id: 'RecordedFrame', description: 'A frame that the server sent.' }),
      )
      .max(5000)
      .meta({ description: 'The frames that the server sent, in order.' }),
    closed: z
      .object({
        atMs: z
          .number()
          .min(0)
          .max(600_000)
          .meta({ description: 'When it was closed, in milliseconds after the request.', examples: [2400] }),
        code: z
          .int()
          .min(1000)
          .max(4999)
          .meta({ description: 'The close code. 1000: the server hung up.', examples: [1000] }),
      })
      .meta({ id: 'RecordedClose', description: 'When and how the server closed the connection.' })
      .optional()
      .meta({ description: 'Present if the server closed the connection before the next request.' }),
  })
  .meta({ id: 'RecordedExchange', description: 'A request to a custom LLM server, and its response.' });

/** What a model replied, to be replayed. */
export const cassette = z
  .object({
    version: z
      .int()
      .min(1)
      .max(1)
      .meta({ description: 'The version of the format.', examples: [1] }),
    replies: z
      .array(recordedReply)
      .max(2000)
      .meta({ description: 'The replies, in the order in which they were requested.' }),
    exchanges: z
      .array(recordedExchange)
      .max(2000)
      .optional()
      .meta({ description: 'For `custom_llm` agents: the exchanges with their server, in order.' }),
  })
  .meta({
    id: 'Cassette',
    description:
      'The recorded replies of a language model or a custom LLM server. Each is replayed for the same request, with its original timing; a request without a recorded reply fails the run. A cassette contains no prompt and no credentials.',
  });

export type Cassette = z.infer<typeof cassette>;
export type RecordedExchange = NonNullable<Cassette['exchanges']>[number];
export type RecordedReply = Cassette['replies'][number];
export type CassetteEvent = RecordedReply['events'][number];
