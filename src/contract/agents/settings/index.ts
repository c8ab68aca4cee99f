import { z } from 'zod';
import { text } from '../../text.ts';
import { integer, number, texts } from '../ranges.ts';
import { knowledge } from './knowledge.ts';
import { phone } from './phone.ts';
import { isTimeZone } from './time-zone.ts';
import { tools } from './tools.ts';

const calls = z
  .strictObject({
    recordingEnabled: z
      .boolean()
      .optional()
      .meta({ description: 'Whether voice calls are recorded.', default: false, examples: [true] }),
    latencyBudgetMs: integer(100, 60_000)
      .optional()
      .meta({
        description: 'How long a reply may take, in milliseconds, before the call reports it. Absent: no limit.',
        examples: [1500],
      }),
    retentionDays: integer(1, 730)
      .optional()
      .meta({ description: 'How long calls are kept, in days. Absent: until they are deleted.', examples: [90] }),
  })
  .meta({ description: 'Call settings.' });

const llm = z
  .strictObject({
    temperature: number(0, 2)
      .optional()
      .meta({ description: 'How much replies vary.', examples: [0.3] }),
    maxTokens: integer(1, 4096)
      .optional()
      .meta({ description: 'The longest reply, in tokens.', examples: [400] }),
    reasoningEffort: text({ min: 1, max: 32 })
      .optional()
      .meta({ description: 'The reasoning effort, as a value that the provider accepts.', examples: ['low'] }),
    fallbackModels: texts(255, 3)
      .optional()
      .meta({
        description: 'Models to use, in this order, if the model fails or does not begin to reply in time.',
        examples: [['gpt-5.4-nano']],
      }),
  })
  .meta({ description: 'Parameters of the language model. Only those that are set are sent to its provider.' });

const timeZone = text({ min: 1, max: 64 })
  .refine(isTimeZone, 'must be the name of a time zone, such as Asia/Tokyo')
  .meta({
    description: 'The time zone of the call, as an IANA name. Absent: Asia/Tokyo for Japanese, otherwise UTC.',
    examples: ['Asia/Tokyo'],
  });

const analysis = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .meta({ description: 'Whether calls are analyzed.', default: true, examples: [true] }),
    summaryPrompt: text({ max: 10_000 })
      .optional()
      .meta({ description: 'Instructions for the summary, instead of the default ones.', examples: ['一文で。'] }),
    successPrompt: text({ max: 10_000 })
      .optional()
      .meta({
        description: 'What counts as a success, instead of the default instructions.',
        examples: ['予約が確定した。'],
      }),
    language: text({ min: 1, max: 64 })
      .optional()
      .meta({ description: 'The language of the summary. Absent: the language of the agent.', examples: ['ja'] }),
  })
  .meta({ description: 'Settings for the analysis after a call.' });

/**
 * The keys of `agentSettings` that the service reads, except `flow`, which has a validation of its own. All other keys
 * belong to the caller. A draft may contain anything; these are checked when an agent is published or called.
 */
export const reservedSettings = { tools, calls, llm, timeZone, analysis, phone, knowledge } as const;

/** Keys that will get a meaning. Until then they are rejected, so that no agent depends on their being ignored. */
export const settingsForLater = ['claims', 'overrides', 'mcpServers'] as const;

export type CallSettings = z.infer<typeof calls>;
export type LlmSettings = z.infer<typeof llm>;
export type AnalysisSettings = z.infer<typeof analysis>;
