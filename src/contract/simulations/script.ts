import { z } from 'zod';
import { text } from '../text.ts';
import { maxSteps, parseSteps } from './steps.ts';

const scalar = z.union([text({ max: 10_000 }), z.number(), z.boolean(), z.null()]);

const resultFields = {
  result: z
    .unknown()
    .optional()
    .meta({ description: 'What the tool returns.', examples: [{ booked: true }] }),
  error: text({ min: 1, max: 1000 })
    .optional()
    .meta({ description: 'The error to return instead of a result.', examples: ['timeout'] }),
  delayMs: z
    .int()
    .min(0)
    .max(30_000)
    .optional()
    .meta({ description: 'How long the tool takes, in milliseconds.', examples: [300] }),
};

const variableName = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const maxVariables = 100;
const maxVariableBytes = 16 * 1024;

function checkVariables(variables: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  const names = Object.keys(variables);
  if (names.length > maxVariables) context.addIssue(`must have at most ${maxVariables} variables`);
  if (names.some((name) => !variableName.test(name))) {
    context.addIssue('names must start with a letter or _, and have letters, digits, _, . and - only');
  }
  if (new TextEncoder().encode(JSON.stringify(variables)).length > maxVariableBytes) {
    context.addIssue('must be at most 16 KiB as JSON');
  }
}

const fieldsWith = <R extends z.ZodType>(result: R) => ({
  agent: text({ min: 1, max: 1000 })
    .optional()
    .meta({
      description:
        'The agent that the script is for, as an id or a file. Only the command line uses it; here, use `agentId`.',
      examples: ['agent.yaml'],
    }),
  variables: z
    .record(text({ min: 1, max: 64 }), scalar)
    .superRefine(checkVariables)
    .optional()
    .meta({ description: 'The variables of the call.', examples: [{ shop: 'Ginza' }] }),
  tools: z
    .record(text({ min: 1, max: 64 }), z.union([result, z.array(result).max(100)]))
    .optional()
    .meta({
      description:
        'What each tool returns: the same for every call, or a list with one result per call. A call without a result fails the run.',
      examples: [{ book: { result: { variables: { available: true } } } }],
    }),
  now: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({
      description: 'When the call starts. Default: 2026-01-05T01:00:00Z, so that every run is the same.',
      examples: ['2026-11-16T10:00:00+09:00'],
    }),
  noise: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({
      description: 'How much timing varies from run to run, from 0 (not at all) to 1. Default: 0.',
      examples: [0.3],
    }),
  steps: z
    .array(text({ min: 1, max: 4000 }))
    .min(1)
    .max(maxSteps)
    .meta({
      description:
        'The steps, in order: `say "…" [for 1800ms]`, `pause 400ms`, `interrupt after 3 words "…"`, `cough 150ms`, `dtmf 1`, `hang up`, `expect agent says /…/ [within 1500ms]`, `expect end <reason>`, `expect variable name = value`, `expect tool name {…}`.',
      examples: [['say "I would like to book a table."', 'expect agent says /when/ within 2000ms']],
    }),
});

/** A conversation to simulate: what the caller does, and what is expected of the agent. */
export const simulationScript = z.strictObject(fieldsWith(z.strictObject(resultFields)));

export type SimulationScript = z.infer<typeof simulationScript>;

const requestFields = fieldsWith(
  z.object(resultFields).meta({ id: 'ScriptedResult', description: 'The result of a tool call.' }),
);

/** The same in a request, which reports what is wrong with its steps, and ignores unknown fields as all requests do. */
export const requestScript = z
  .object({
    ...requestFields,
    steps: requestFields.steps
      .superRefine((lines, context) => {
        // A list that is too long is reported as such, without its items.
        if (lines.length > maxSteps) return;
        for (const { step, message } of parseSteps(lines).issues) {
          context.addIssue({ code: 'custom', path: [step], message });
        }
      })
      .meta(requestFields.steps.meta() ?? {}),
  })
  .meta({ id: 'SimulationScript', description: 'A conversation to simulate.' });
