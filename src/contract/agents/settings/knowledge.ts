import { z } from 'zod';
import { text } from '../../text.ts';
import { integer, number } from '../ranges.ts';

export const maxAttachedBases = 10;
/** The longest text of all bases that fits into the instructions for the model (`mode: "prompt"`). */
export const maxPromptCharacters = 50_000;

/** What applies if a setting is absent. */
export const knowledgeDefaults = {
  mode: 'auto',
  limit: 5,
  maxCharacters: 4000,
  minScore: 0.04,
  minSemanticScore: 0.4,
  waitMs: 100,
} as const;

const base = z
  .strictObject({
    id: text({ min: 1, max: 64 }).meta({
      description: 'The id of a knowledge base of the workspace.',
      examples: ['kb_01j9z3k7v2w4x5y6z7a8b9c0d1'],
    }),
  })
  .meta({ description: 'A knowledge base.' });

export const knowledge = z
  .strictObject({
    bases: z
      .array(base)
      .min(1)
      .max(maxAttachedBases)
      .superRefine((list, context) => {
        const ids = new Set<string>();
        for (const [index, { id }] of list.entries()) {
          if (ids.has(id)) context.addIssue({ code: 'custom', path: [index, 'id'], message: 'must be unique' });
          ids.add(id);
        }
      })
      .meta({ description: 'The knowledge bases in which the agent looks things up.' }),
    mode: z
      .enum(['auto', 'prompt'])
      .optional()
      .meta({
        description:
          '`auto`: the bases are searched before every reply to the caller. `prompt`: the model gets everything, up to 50,000 characters.',
        default: knowledgeDefaults.mode,
        examples: ['auto'],
      }),
    limit: integer(1, 20)
      .optional()
      .meta({
        description: 'How many passages the model gets at most.',
        default: knowledgeDefaults.limit,
        examples: [5],
      }),
    maxCharacters: integer(500, 20_000)
      .optional()
      .meta({
        description: 'How many characters of passages the model gets at most.',
        default: knowledgeDefaults.maxCharacters,
        examples: [4000],
      }),
    minScore: number(0, 1)
      .optional()
      .meta({
        description: 'A passage counts if its lexical score is at least this.',
        default: knowledgeDefaults.minScore,
        examples: [0.04],
      }),
    minSemanticScore: number(0, 1)
      .optional()
      .meta({
        description: 'A passage also counts if its semantic score is at least this. Depends on the embeddings model.',
        default: knowledgeDefaults.minSemanticScore,
        examples: [0.4],
      }),
    waitMs: integer(0, 1000)
      .optional()
      .meta({
        description: 'How long a reply waits for the semantic search, in milliseconds.',
        default: knowledgeDefaults.waitMs,
        examples: [100],
      }),
  })
  .meta({ description: 'The knowledge of the agent.' });

export type KnowledgeSettings = z.infer<typeof knowledge>;
/** With what applies if a setting is absent. */
export type AppliedKnowledgeSettings = {
  readonly [Key in keyof KnowledgeSettings]-?: NonNullable<KnowledgeSettings[Key]>;
};
