import { z } from 'zod';
import { filterOps } from '../filter.ts';
import { defineOperation } from '../operation.ts';
import { text } from '../text.ts';
import { definitionExample, definitionSchema } from './definition.ts';
import { stepError, stepId } from './run.ts';
import { none } from './workflow-operations.ts';

const mock = z
  .union([
    z
      .object({
        statusCode: z
          .int()
          .min(100)
          .max(599)
          .meta({ description: 'The status of the response.', examples: [200] }),
        body: z
          .unknown()
          .optional()
          .meta({ description: 'The body of the response.', examples: [{ id: 'lead-81' }] }),
      })
      .meta({ id: 'WorkflowMockedResponse', description: 'A response.' }),
    z
      .object({
        error: text({ min: 1, max: 64 }).meta({
          description: 'The code that the step fails with, such as `timeout`.',
          examples: ['timeout'],
        }),
      })
      .meta({ id: 'WorkflowMockedFailure', description: 'A failure.' }),
  ])
  .meta({ description: 'What a request is answered with in the test.' });

export const testWorkflowBody = z
  .object({
    callId: text({ min: 1, max: 64 }).meta({
      description: 'A call that is over.',
      examples: ['call_01m7f8np1p0000f5kznwj47tan9zt2'],
    }),
    workflowId: text({ min: 1, max: 64 })
      .optional()
      .meta({ description: 'The workflow to test.', examples: ['wfl_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] }),
    definition: definitionSchema.optional().meta({
      description: 'A definition to test instead, which does not have to be saved.',
    }),
    mocks: z
      .record(z.string(), mock)
      .default({})
      .meta({
        description:
          'By the id of a step, the response to its request. Without one, the request is assumed to succeed with an empty body.',
        examples: [{ crm: { statusCode: 503 } }],
      }),
  })
  .superRefine((body, context) => {
    const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (body.workflowId === undefined && body.definition === undefined) {
      add('definition', 'is required, unless workflowId is given');
    }
    if (body.workflowId !== undefined && body.definition !== undefined) {
      add('definition', 'must not be given with workflowId');
    }
  })
  .meta({ id: 'TestWorkflow', description: 'What to test, and with which call.' });

export const testedCondition = z
  .strictObject({
    path: z
      .string()
      .max(256)
      .meta({
        description: 'Where the condition is: its path in the filter, or `agentIds`, `includeDrafts` or `event`.',
        examples: ['all.1'],
      }),
    field: z
      .string()
      .max(1024)
      .meta({ description: 'The field of the call.', examples: ['analysis.data.booked'] }),
    op: z.enum(filterOps).meta({ description: 'How it is compared.', examples: ['eq'] }),
    expected: z.unknown().meta({ description: 'The value in the condition.', examples: [false] }),
    actual: z.unknown().meta({ description: 'The value in the call. Null: it has none.', examples: [true] }),
    result: z.boolean().meta({ description: 'Whether the condition holds.', examples: [false] }),
  })
  .meta({ id: 'WorkflowTestCondition', description: 'A condition of the trigger, and what it finds in the call.' });

export const testedStep = z
  .strictObject({
    id: stepId,
    reached: z.boolean().meta({ description: 'Whether the run would come to this step.', examples: [true] }),
    rendered: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({
        description:
          'What the step would do: the request that is sent, the changes of the call, the body of the new call, when a wait ends, or which route is taken. Null: it is not reached, or cannot be rendered.',
        examples: [
          { method: 'POST', url: 'https://crm.example.com/leads/visit-2981', headers: {}, body: '{"summary":"予約"}' },
        ],
      }),
    assumed: z
      .boolean()
      .meta({ description: 'Whether its result is an assumption, because there is no mock.', examples: [true] }),
    problems: z.array(stepError).meta({ description: 'Why the step would fail. Empty if it would not.' }),
  })
  .meta({ id: 'WorkflowTestStep', description: 'What a step would do.' });

const workflowTest = z
  .strictObject({
    matched: z.boolean().meta({ description: 'Whether a run would start.', examples: [true] }),
    filter: z.array(testedCondition).meta({ description: 'The conditions of the trigger, one by one.' }),
    steps: z.array(testedStep).meta({ description: 'All steps, in order, as if a run had started.' }),
    end: z.enum(['succeeded', 'failed']).meta({ description: 'How the run would end.', examples: ['succeeded'] }),
  })
  .meta({ id: 'WorkflowTest', description: 'What a workflow would do after a call.' });

export type WorkflowTest = z.infer<typeof workflowTest>;
export type WorkflowMock = z.output<typeof mock>;
export type TestWorkflow = z.output<typeof testWorkflowBody>;
export type TestedStep = z.infer<typeof testedStep>;

export const testWorkflow = defineOperation({
  id: 'workflows.test',
  kind: 'read',
  method: 'POST',
  path: '/api/v1/workflows/test',
  scope: 'workflows:write',
  risk: 'sensitive',
  summary: 'Test a workflow on a call',
  description:
    'Shows for a call that is over whether a workflow would start and why, and what each step would do. Nothing is sent, stored or created. 409: the call is open. 422: there is no such call.',
  params: none,
  query: none,
  body: testWorkflowBody,
  bodyExample: { callId: 'call_01m7f8np1p0000f5kznwj47tan9zt2', definition: definitionExample },
  success: {
    status: 200,
    description: 'What would happen.',
    body: workflowTest,
  },
});
