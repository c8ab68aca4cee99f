import { z } from 'zod';
import { type FieldCatalog, filterSchema } from '../../filter.ts';
import { text } from '../../text.ts';
import { integer, number } from '../ranges.ts';
import { answerKinds } from './answer-kinds.ts';
import { isTimeZone } from './time-zone.ts';

export const maxSkills = 200;
export const maxRoutes = 50;
export const maxPhrases = 100;
const maxText = 2000;
const maxPhrase = 500;
const maxPrompt = 200_000;
const maxName = 64;
const maxCoordinate = 50_000;

export const defaultRetries = 2;
export const defaultMaxTurns = 50;
export const defaultMinAnswerScore = 0.2;

/** In a flow, a branch reads the variables and the metadata of the running call. */
export const flowFields: FieldCatalog = (field) =>
  /^(?:variables|collectedVariables|metadata)\../su.test(field) ? { type: 'any' } : undefined;

const idMessage = 'must start with a lower-case letter, followed by up to 63 lower-case letters, digits or _';
const id = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, idMessage);
/** A reference may be wrong in one way only: there is no such skill. */
const target = text({ min: 1, max: maxName });
const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must start with a letter or _, followed by up to 63 letters, digits or _');
const speech = text({ min: 1, max: maxText });
const phrases = z
  .array(text({ min: 1, max: maxPhrase }))
  .min(1)
  .max(maxPhrases);
const scalar = z.union([text({ max: maxText }), z.number(), z.boolean(), z.null()], {
  error: 'must be a string, a number, true, false or null',
});
const retry = z.strictObject({ text: speech.optional(), max: integer(0, 5).optional() });
const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:00');

const say = z.strictObject({
  id,
  type: z.literal('say'),
  text: speech,
  next: target,
  interruptible: z.boolean().optional(),
});

const choiceOption = z.strictObject({ value: text({ min: 1, max: 255 }), say: phrases });

const ask = z
  .strictObject({
    id,
    type: z.literal('ask'),
    text: speech,
    variable: variableName,
    as: z.enum(answerKinds),
    options: z.array(choiceOption).min(1).max(maxRoutes).optional(),
    within: z.tuple([timeOfDay, timeOfDay]).optional(),
    next: target,
    retry: retry.optional(),
    confirm: z.boolean().optional(),
    otherwise: target,
  })
  .superRefine(({ as, options, within }, context) => {
    const add = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (as === 'choice' && options === undefined) add(['options'], 'is required for a choice');
    if (as !== 'choice' && options !== undefined) add(['options'], 'is for a choice only');
    if (as !== 'time' && within !== undefined) add(['within'], 'is for a time only');
    if (within !== undefined && within[0] >= within[1]) add(['within'], 'must end after it starts');
    const values = new Set<string>();
    for (const [index, { value }] of (options ?? []).entries()) {
      if (values.has(value)) add(['options', index, 'value'], 'is already the value of another option');
      values.add(value);
    }
  });

const choose = z.strictObject({
  id,
  type: z.literal('choose'),
  text: speech,
  routes: z
    .array(z.strictObject({ when: phrases, next: target }))
    .min(1)
    .max(maxRoutes),
  by: z.enum(['words', 'model']).optional(),
  retry: retry.optional(),
  otherwise: target,
});

const branch = z.strictObject({
  id,
  type: z.literal('branch'),
  routes: z
    .array(z.strictObject({ if: filterSchema(flowFields), next: target }))
    .min(1)
    .max(maxRoutes),
  otherwise: target,
});

const set = z.strictObject({
  id,
  type: z.literal('set'),
  variables: z
    .record(variableName, scalar)
    .refine((variables) => Object.keys(variables).length <= 100, 'must have at most 100 variables'),
  next: target,
});

const tool = z.strictObject({
  id,
  type: z.literal('tool'),
  tool: text({ min: 1, max: maxName }),
  arguments: z.record(text({ min: 1, max: 255 }), z.json()),
  say: speech.optional(),
  next: target,
  otherwise: target,
});

const transfer = z.strictObject({
  id,
  type: z.literal('transfer'),
  transfer: text({ min: 1, max: maxName }),
  text: speech.optional(),
  otherwise: target,
});

const prompt = z
  .strictObject({
    id,
    type: z.literal('prompt'),
    prompt: text({ min: 1, max: maxPrompt }),
    routes: z
      .array(z.strictObject({ name: id, description: speech, next: target }))
      .max(maxRoutes)
      .optional(),
    maxTurns: integer(1, 1000).optional(),
    next: target.optional(),
  })
  .superRefine(({ routes = [] }, context) => {
    const names = new Set<string>();
    for (const [index, { name }] of routes.entries()) {
      const message = 'is already the name of another route';
      if (names.has(name)) context.addIssue({ code: 'custom', path: ['routes', index, 'name'], message });
      names.add(name);
    }
  });

const answer = z.strictObject({
  id,
  type: z.literal('answer'),
  text: speech.optional(),
  minScore: number(0, 1).optional(),
  next: target,
  otherwise: target,
});

const end = z.strictObject({ id, type: z.literal('end'), text: speech.optional() });

export const skillSchema = z.discriminatedUnion('type', [
  say,
  ask,
  choose,
  branch,
  set,
  tool,
  transfer,
  prompt,
  answer,
  end,
]);

export const anytimeRouteSchema = z
  .strictObject({ when: phrases, next: target.optional(), repeat: z.literal(true).optional() })
  .refine(({ next, repeat }) => (next === undefined) !== (repeat === undefined), {
    message: 'must have either next or repeat',
  });

/** Where the flow editor shows a skill. Calls do not use it, so a name that no skill has does no harm. */
const place = z.strictObject({ x: number(-maxCoordinate, maxCoordinate), y: number(-maxCoordinate, maxCoordinate) });
const layout = z
  .record(id, place)
  .refine((places) => Object.keys(places).length <= maxSkills, `must have at most ${maxSkills} positions`);

export const flowSchema = z.strictObject({
  skills: z.array(skillSchema).min(1).max(maxSkills),
  layout: layout.optional(),
  anytime: z.array(anytimeRouteSchema).max(maxRoutes).optional(),
  timeZone: text({ min: 1, max: 64 }).refine(isTimeZone, 'must be an IANA time zone, such as Asia/Tokyo').optional(),
});

export type Flow = z.output<typeof flowSchema>;
export type Skill = Flow['skills'][number];
export type SkillOf<T extends Skill['type']> = Extract<Skill, { type: T }>;
export type AnytimeRoute = NonNullable<Flow['anytime']>[number];
