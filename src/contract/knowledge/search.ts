import { z } from 'zod';
import { text } from '../text.ts';
import { chunk } from './document.ts';
import { searchModes } from './knowledge-base.ts';
import { count, documentId, searchText } from './values.ts';

const score = z.number().min(0).max(1);
const minScore = score.default(0);

export const searchBody = z
  .object({
    query: searchText.meta({ description: 'What to search for.', examples: ['返品は何日以内ですか'] }),
    limit: z
      .int()
      .min(1)
      .max(50)
      .default(5)
      .meta({ description: 'The maximum number of results.', examples: [5] }),
    mode: z
      .enum(searchModes)
      .optional()
      .meta({
        description: '`lexical`: by words. `hybrid`: also by meaning. By default, what is available.',
        examples: ['lexical'],
      }),
    minScore: minScore.meta({
      description: 'A chunk is found if its `lexicalScore` is at least this, or its `semanticScore` is high enough.',
      examples: [0],
    }),
    minSemanticScore: minScore.meta({ description: 'The same for `semanticScore`.', examples: [0] }),
  })
  .meta({ id: 'SearchKnowledgeBase', description: 'What to search for.' });

export const searchResults = z
  .strictObject({
    results: z
      .array(
        z
          .strictObject({
            chunk,
            documentName: z.string().meta({ description: 'The name of the document.', examples: ['返品について'] }),
            score: z
              .number()
              .min(0)
              .meta({ description: 'What the results are ordered by.', examples: [0.61] }),
            lexicalScore: score.meta({ description: 'How well its words match.', examples: [0.61] }),
            semanticScore: z
              .number()
              .min(-1)
              .max(1)
              .nullable()
              .meta({ description: 'How close its meaning is. Null: not compared.', examples: [null] }),
            highlights: z
              .array(
                z
                  .strictObject({
                    start: count.meta({ description: 'Where it starts in `chunk.text`.', examples: [6] }),
                    end: count.meta({ description: 'Where it ends.', examples: [8] }),
                  })
                  .meta({ id: 'Highlight', description: 'A part of the text that matches, in UTF-16 units.' }),
              )
              .meta({ description: 'What matches in `chunk.text`.' }),
          })
          .meta({ id: 'SearchResult', description: 'A chunk that was found.' }),
      )
      .meta({ description: 'The chunks found, best first.' }),
    mode: z.enum(searchModes).meta({ description: 'How it was searched.', examples: ['lexical'] }),
    revision: count.meta({ description: 'The revision that was searched.', examples: [12] }),
    tookMs: z
      .number()
      .min(0)
      .meta({ description: 'How long it took, in milliseconds.', examples: [3] }),
  })
  .meta({ id: 'SearchResults', description: 'What was found, in one revision.' });

export type SearchResults = z.infer<typeof searchResults>;

export const evaluateBody = z
  .object({
    questions: z
      .array(
        z
          .object({
            query: searchText.meta({ description: 'As a caller would ask.', examples: ['買ったものを返したい'] }),
            expected: z
              .array(text({ min: 1, max: 255 }))
              .min(1)
              .max(20)
              .meta({
                description: 'The ids or names of documents that answer it. One of them is enough.',
                examples: [['返品について']],
              }),
            contains: text({ min: 1, max: 500 })
              .optional()
              .meta({ description: 'A text that the right chunk contains.', examples: ['30日以内'] }),
          })
          .meta({ id: 'EvaluationQuestion', description: 'A question with its answer.' }),
      )
      .min(1)
      .max(1000)
      .meta({ description: 'The questions.' }),
    limit: z
      .int()
      .min(1)
      .max(50)
      .default(3)
      .meta({ description: 'How many results are looked at.', examples: [3] }),
    minScore: minScore.meta({ description: 'The lowest score of a hit.', examples: [0] }),
    modes: z
      .array(z.enum(searchModes))
      .min(1)
      .max(2)
      .optional()
      .meta({ description: 'How to search. By default, each mode that is available.', examples: [['lexical']] }),
  })
  .meta({ id: 'EvaluateKnowledgeBase', description: 'Questions with their answers.' });

const percentiles = z
  .strictObject({
    p10: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'The tenth percentile.', examples: [0.11] }),
    p50: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'The median.', examples: [0.34] }),
    p90: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'The ninetieth percentile.', examples: [0.62] }),
  })
  .meta({ id: 'ScorePercentiles', description: 'The best scores of questions.' });
const scores = (description: string) => percentiles.nullable().meta({ description });

const rate = z.number().min(0).max(1);

export const missReasons = ['not_indexed', 'below_min_score', 'outranked', 'text_not_in_document'] as const;

export const evaluation = z
  .strictObject({
    modes: z
      .array(
        z
          .strictObject({
            mode: z.enum(searchModes).meta({ description: 'How it was searched.', examples: ['lexical'] }),
            hitRate1: rate.meta({ description: 'The share with the right result first.', examples: [0.71] }),
            hitRate: rate.meta({ description: 'The share with it in the first `limit`.', examples: [0.88] }),
            meanReciprocalRank: rate.meta({ description: 'The mean of 1 / rank.', examples: [0.79] }),
            hitScores: scores('The best scores of questions that were answered. Null if there are none.'),
            missScores: scores('The best scores of the others. Null if there are none.'),
          })
          .meta({ id: 'EvaluatedMode', description: 'The results of a mode.' }),
      )
      .meta({ description: 'The results of each mode.' }),
    misses: z
      .array(
        z
          .strictObject({
            mode: z.enum(searchModes).meta({ description: 'How it was searched.', examples: ['lexical'] }),
            query: z.string().meta({ description: 'The question.', examples: ['壊れた'] }),
            expected: z.array(z.string()).meta({ description: 'What was expected.', examples: [['修理について']] }),
            got: z
              .array(
                z
                  .strictObject({
                    documentId: documentId.max(64),
                    score: z
                      .number()
                      .min(0)
                      .max(1)
                      .meta({ description: 'Its score.', examples: [0.09] }),
                  })
                  .meta({ id: 'EvaluatedResult', description: 'A result.' }),
              )
              .meta({ description: 'What was found instead.' }),
            reason: z.enum(missReasons).meta({
              description:
                '`not_indexed`: no such document is searchable. `text_not_in_document`: none of its chunks contains the text. `below_min_score`: it matches too little. `outranked`: others match better.',
              examples: ['below_min_score'],
            }),
          })
          .meta({ id: 'EvaluationMiss', description: 'A question whose answer was not found.' }),
      )
      .meta({ description: 'The questions whose answer was not found.' }),
  })
  .meta({ id: 'Evaluation', description: 'How well a knowledge base answers questions.' });

export type SearchBody = z.output<typeof searchBody>;
export type EvaluateBody = z.output<typeof evaluateBody>;
export type Evaluation = z.infer<typeof evaluation>;
