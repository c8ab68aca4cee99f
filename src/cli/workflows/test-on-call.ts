import type { TestWorkflow } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, printResult } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { readJsonFile } from '../json-file.ts';
import { checkedId } from '../resources/ids.ts';
import { describeTest } from './show.ts';
import { readWorkflowFile, withIds } from './workflow-file.ts';

interface TestOptions extends CommandOptions {
  readonly call: string;
  readonly mocks?: string;
}

/** Tests a file, or a saved workflow, on a past call. Nothing is sent. */
export async function testWorkflow(target: string, options: TestOptions, context: CommandContext): Promise<void> {
  const callId = checkedId('call', options.call);
  const mocks = await mocksOf(options.mocks);
  const isSaved = target.startsWith('wfl_');
  const file = isSaved ? null : await readWorkflowFile(target);
  const { client } = await connect(options, context.environment);
  let tested: Pick<TestWorkflow, 'workflowId' | 'definition'> = { workflowId: target };
  if (file === null) checkedId('workflow', target, 'wfl');
  else {
    const { trigger, steps } = await withIds(client, file.content);
    tested = { definition: { trigger, steps } };
  }
  const result = await client.workflows.test({ callId, ...tested, ...(mocks !== undefined && { mocks }) });
  await printResult(result, describeTest(result, context.stdout), options, context);
  if (result.end === 'failed') context.setExitCode(exitCodes.failed);
}

async function mocksOf(file: string | undefined): Promise<TestWorkflow['mocks']> {
  if (file === undefined) return undefined;
  const mocks = await readJsonFile(file, 'mocks');
  if (typeof mocks === 'object' && mocks !== null && !Array.isArray(mocks)) return mocks as TestWorkflow['mocks'];
  throw invalidUsage(`${file} must contain one JSON object, with a mock for each step by its id`);
}
