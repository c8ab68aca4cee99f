import type { CommandOptions } from '../connection/connection.ts';
import type { CommandContext } from '../context.ts';
import { CommandError, exitCodes, invalidUsage } from '../failures.ts';
import { confirm, requireTerminal } from '../terminal/dialog.ts';
import { onSignal } from '../terminal/exit-cleanup.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { applyPlan } from './apply.ts';
import { folderExists, readFolder, withLockedFolder } from './folder.ts';
import { applyNumbers } from './numbers/apply.ts';
import { readNumberFiles } from './numbers/number-file.ts';
import { emptyNumberPlan, type NumberPlan, planNumbers, readNumbers } from './numbers/plan.ts';
import {
  describeNumberOutcomes,
  describeNumberPlan,
  numberExitCodes,
  numberOutcomesToJson,
  numberPlanToJson,
} from './numbers/report.ts';
import { followRenamedFiles, makePlan, type Plan, type PlanOptions } from './plan.ts';
import {
  describeIssues,
  describeOutcomes,
  describePlan,
  describeWorkspace,
  exitCodeOf,
  outcomesToJson,
  planToJson,
} from './report.ts';
import { type FolderState, readState, type WorkspaceState } from './state.ts';
import { listAgents, openWorkspace, type Workspace, withTags } from './workspace.ts';

interface PlanCommandOptions extends CommandOptions, PlanOptions {
  readonly exitCode?: boolean;
}

interface ApplyCommandOptions extends PlanCommandOptions {
  readonly description?: string;
  readonly yes?: boolean;
}

interface Prepared {
  readonly workspace: Workspace;
  readonly folderState: FolderState;
  readonly state: WorkspaceState;
  readonly plan: Plan;
  readonly numbers: NumberPlan;
}

export async function runPlan(path: string, options: PlanCommandOptions, context: CommandContext): Promise<void> {
  const { stdout, setExitCode } = context;
  const prepared = await prepare(path, options, context);
  if (prepared === null) return;
  stdout.write(
    options.json
      ? `${JSON.stringify({ ...planToJson(prepared.plan, prepared.workspace), ...numberPlanToJson(prepared.numbers) })}\n`
      : describePrepared(prepared, path, stdout),
  );
  if (options.exitCode !== true) return;
  const items = itemsOf(prepared);
  if (items.some(({ obstacle }) => obstacle !== null)) setExitCode(exitCodes.conflict);
  else if (items.some(({ action }) => action !== 'none')) setExitCode(exitCodes.differs);
}

function itemsOf({
  plan,
  numbers,
}: Prepared): readonly { readonly action: string; readonly obstacle: string | null }[] {
  return [...plan.items, ...numbers.items];
}

function describePrepared({ plan, workspace, numbers }: Prepared, path: string, stdout: NodeJS.WriteStream): string {
  return `${describePlan(plan, workspace, path, stdout)}${describeNumberPlan(numbers, path, stdout)}`;
}

export async function runApply(path: string, options: ApplyCommandOptions, context: CommandContext): Promise<void> {
  if (!(await folderExists(path))) throw noFolder(path);
  await withLockedFolder(path, async () => {
    const prepared = await prepare(path, options, context);
    if (prepared !== null) await applyPrepared(path, prepared, options, context);
  });
}

function noFolder(path: string): CommandError {
  return new CommandError(`directory ${path} not found: run "voice-agents pull" to create it`, exitCodes.notFound);
}

/** The plan; null if a file is invalid, which has been reported. Only read requests are sent. */
async function prepare(
  path: string,
  options: PlanCommandOptions,
  { environment, stdout, stderr, setExitCode }: CommandContext,
): Promise<Prepared | null> {
  if (!(await folderExists(path))) throw noFolder(path);
  const { files } = await readFolder(path);
  const numberFiles = await readNumberFiles(path);
  const issues = [...files.values(), ...numberFiles].flatMap((file) => file.issues);
  if (issues.length > 0) {
    setExitCode(exitCodes.invalidUsage);
    if (options.json) stdout.write(`${JSON.stringify({ issues })}\n`);
    else stderr.write(`${describeIssues(issues, path)}voice-agents: some files are invalid. Nothing was applied.\n`);
    return null;
  }
  const folderState = await readState(path);
  const workspace = await openWorkspace(options, environment);
  const state = folderState.of(workspace.service, workspace.id);
  const progress = createProgress('Comparing', stderr);
  try {
    const agents = await listAgents(workspace.client);
    const known = new Set([...state.agents.values()].map(({ id }) => id));
    const names = new Set(options.adopt ? [...files.values()].map(({ content }) => content?.name) : []);
    const needsTag = ({ id, name }: { id: string; name: string }) => known.has(id) || names.has(name);
    const seen = await withTags(workspace.client, agents, state, needsTag, progress.show);
    followRenamedFiles(state, files, seen);
    const plan = makePlan({ files, state, seen, options, now: Date.now() });
    const isAboutNumbers = numberFiles.length > 0 || state.numbers.size > 0;
    const numbers = isAboutNumbers
      ? planNumbers({
          files: numberFiles,
          agentFiles: files,
          agents,
          seen: await readNumbers(workspace.client),
          state,
          options,
        })
      : emptyNumberPlan;
    return { workspace, folderState, state, plan, numbers };
  } finally {
    progress.end();
  }
}

async function applyPrepared(
  path: string,
  prepared: Prepared,
  options: ApplyCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { stdout, stderr, setExitCode } = context;
  const { workspace, folderState, state, plan, numbers } = prepared;
  const isForPeople = options.json !== true;
  if (isForPeople) stdout.write(`${describePrepared(prepared, path, stdout)}\n`);
  const doable = itemsOf(prepared).filter(({ action, obstacle }) => action !== 'none' && obstacle === null).length;
  if (doable > 0 && !options.yes) {
    if (options.json) throw invalidUsage('--json cannot ask for confirmation: review the plan, then apply with --yes');
    requireTerminal(context);
    const what = doable === 1 ? 'this change' : `these ${doable} changes`;
    await confirm(`Apply ${what} to ${describeWorkspace(workspace)}?`, 'nothing was applied', context);
  }
  const progress = createProgress('Applying', stderr);
  const stop = stopGently(progress, stderr);
  try {
    const outcomes = await applyPlan({
      client: workspace.client,
      plan,
      state,
      save: () => folderState.save(),
      description: options.description,
      now: Date.now,
      onProgress: progress.show,
      isStopped: () => stop.code() !== null,
    });
    const numberOutcomes = await applyNumbers({
      client: workspace.client,
      plan: numbers,
      state,
      save: () => folderState.save(),
      isStopped: () => stop.code() !== null,
    });
    progress.end();
    stdout.write(
      isForPeople
        ? `${describeOutcomes(outcomes, path, stdout, numberOutcomes.length === 0)}${describeNumberOutcomes(numberOutcomes, stdout)}`
        : `${JSON.stringify({ ...outcomesToJson(outcomes), numbers: numberOutcomesToJson(numberOutcomes) })}\n`,
    );
    setExitCode(stop.code() ?? exitCodeOf(outcomes, numberExitCodes(numberOutcomes)));
  } finally {
    progress.end();
    stop.forget();
  }
}

/** The first signal lets running requests finish and saves their results; the second exits immediately. */
function stopGently(progress: Progress, stderr: NodeJS.WriteStream) {
  let code: number | null = null;
  const forget = onSignal((exitCode) => {
    const isSecond = code !== null;
    code = exitCode;
    progress.end();
    if (isSecond) process.exit(code);
    stderr.write('Stopping after the requests in progress. Press Ctrl-C again to exit immediately.\n');
  });
  return { code: () => code, forget };
}
