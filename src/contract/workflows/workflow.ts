import { z } from 'zod';
import { text } from '../text.ts';
import {
  checkDefinitionSize,
  stepsSchema,
  storedStepsSchema,
  storedTriggerSchema,
  triggerSchema,
} from './definition.ts';

export const maxWorkflows = 100;
export const workflowDisabledReasons = ['by_user', 'failing'] as const;

export const workflowId = z
  .string()
  .meta({ description: 'The id of the workflow.', examples: ['wfl_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] });
export const workflowVersionNumber = z
  .int()
  .min(1)
  .meta({
    description: 'Increases with each change of `trigger` or `steps`. A run keeps the version that it started with.',
    examples: [1],
  });
const time = z.iso.datetime();

const name = text({ min: 1, max: 255 }).meta({ description: 'The name.', examples: ['予約の引き継ぎ'] });
const description = text({ max: 1000 })
  .nullable()
  .meta({ description: 'A note for your own reference.', examples: ['予約できなかった通話をCRMに登録する'] });

export const workflow = z
  .strictObject({
    id: workflowId.max(64),
    workspaceId: z
      .string()
      .max(64)
      .meta({ description: 'The workspace of the workflow.', examples: ['ws_01m7f8nje00000m9s346q3d25vt4f5'] }),
    name,
    description,
    version: workflowVersionNumber,
    enabled: z.boolean().meta({ description: 'Whether events start runs. False at creation.', examples: [true] }),
    disabledReason: z
      .enum(workflowDisabledReasons)
      .nullable()
      .meta({
        description:
          '`failing`: 20 runs in a row have failed. Null while it is enabled, and until it is enabled for the first time.',
        examples: [null],
      }),
    trigger: storedTriggerSchema,
    steps: storedStepsSchema,
    createdAt: time.meta({ description: 'When it was created.', examples: ['2026-12-18T09:30:00.000Z'] }),
    updatedAt: time.meta({ description: 'When it last changed.', examples: ['2026-12-18T09:30:00.000Z'] }),
  })
  .meta({ id: 'Workflow', description: 'What is done after a call: a trigger, and the steps that follow.' });

export type Workflow = z.infer<typeof workflow>;

export const workflowVersion = z
  .strictObject({
    version: workflowVersionNumber,
    trigger: storedTriggerSchema,
    steps: storedStepsSchema,
    createdAt: time.meta({ description: 'When it was saved.', examples: ['2026-12-18T09:30:00.000Z'] }),
    keyId: z
      .string()
      .max(64)
      .meta({ description: 'The API key that saved it.', examples: ['key_01m7f8nk1a0000z5j2c9r4t8w6ybdz'] }),
  })
  .meta({ id: 'WorkflowVersion', description: 'A version of a workflow.' });

export type WorkflowVersion = z.infer<typeof workflowVersion>;

export const createWorkflowBody = z
  .object({
    name,
    description: description.default(null),
    trigger: triggerSchema,
    steps: stepsSchema,
    enabled: z
      .boolean()
      .optional()
      .meta({ description: 'Ignored: a new workflow is disabled until it is updated.', examples: [false] }),
  })
  .superRefine(checkDefinitionSize)
  .meta({ id: 'CreateWorkflow', description: 'A new workflow.' });

export type NewWorkflowFields = z.output<typeof createWorkflowBody>;

export const updateWorkflowBody = z
  .object({
    name: name.optional(),
    description: description.optional(),
    enabled: z
      .boolean()
      .optional()
      .meta({
        description: 'Whether events start runs. Enabling a workflow starts no run for earlier events.',
        examples: [true],
      }),
    trigger: triggerSchema.optional(),
    steps: stepsSchema.optional(),
  })
  .meta({ id: 'UpdateWorkflow', description: 'The fields to change. `trigger` and `steps` are replaced as a whole.' });

export type WorkflowChanges = z.output<typeof updateWorkflowBody>;
