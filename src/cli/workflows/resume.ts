import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, printResult } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { checkedId } from '../resources/ids.ts';
import { counted } from '../terminal/text.ts';
import { findWorkflow } from './find.ts';

interface ResumeOptions extends CommandOptions {
  readonly since?: string;
  readonly until?: string;
}

/** Continues a failed run, or all runs of a workflow that failed in a time. */
export async function resumeRuns(target: string, options: ResumeOptions, context: CommandContext): Promise<void> {
  const { since, until } = options;
  const isRun = target.startsWith('run_');
  if (isRun && (since !== undefined || until !== undefined)) {
    throw invalidUsage('--since and --until select runs of a workflow, and this is the id of one run');
  }
  if (!isRun && since === undefined) {
    throw invalidUsage(
      'give the id of a run, or a workflow with --since, the time from which its failed runs continue',
    );
  }
  const times = { since: timeOf('--since', since), until: timeOf('--until', until) };
  const runId = isRun ? checkedId('run', target, 'run', 'workflows runs') : null;
  const { client } = await connect(options, context.environment);
  if (runId !== null) {
    const run = await client.workflows.runs.resume(runId);
    return printResult(run, `${run.id} continues.\n`, options, context);
  }
  const { id } = await findWorkflow(client, target);
  const result = await client.workflows.resume(id, { since: times.since as string, until: times.until });
  const verb = result.matched === 1 ? 'continues' : 'continue';
  await printResult(result, `${counted(result.matched, 'run')} ${verb}.\n`, options, context);
}

function timeOf(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw invalidUsage(`${option} must be a date or a time such as 2026-11-20 or 2026-11-20T09:00:00Z`);
}
