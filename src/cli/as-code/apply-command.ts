import type { Agent } from '../../../sdk/src/index.ts';
import type { CommandOptions } from '../connection/connection.ts';
import type { CommandContext } from '../context.ts';
import { CommandError, exitCodes, invalidUsage } from '../failures.ts';
import { confirm, requireTerminal } from '../terminal/dialog.ts';
import { onSignal } from '../terminal/exit-cleanup.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import type { AgentFile } from './agent-file.ts';
import { applyPlan } from './apply.ts';
import { describeItemOutcomes, itemExitCodes } from './beside/report.ts';
import { folderExists, readFolder, withLockedFolder } from './folder.ts';
import { applyBases, deleteBases } from './knowledge/apply.ts';
import { type BaseFile, readBaseFiles } from './knowledge/base-file.ts';
import { agentsWithIds, planWithIds } from './knowledge/in-agents.ts';
import { baseNamesIn } from './knowledge/names.ts';
import { type BasePlan, emptyBasePlan, planBases, readBases } from './knowledge/plan.ts';
import { baseOutcomesToJson, basePlanToJson, baseWords, describeBasePlan } from './knowledge/report.ts';
import { applyNumbers } from './numbers/apply.ts';
import { type NumberFile, readNumberFiles } from './numbers/number-file.ts';
import { emptyNumberPlan, type NumberPlan, planNumbers, readNumbers } from './numbers/plan.ts';
import { describeNumberPlan, numberOutcomesToJson, numberPlanToJson, numberWords } from './numbers/report.ts';
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
import { applyWorkflows } from './workflows/apply.ts';
import { emptyWorkflowPlan, planWorkflows, readWorkflows, type WorkflowPlan } from './workflows/plan.ts';
import { describeWorkflowPlan, workflowOutcomesToJson, workflowPlanToJson, workflowWords } from './workflows/report.ts';
import { readWorkflowFiles, type WorkflowFile } from './workflows/workflow-file.ts';
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
  readonly knowledge: BasePlan;
  readonly numbers: NumberPlan;
  readonly workflows: WorkflowPlan;
}

/** What the directories beside the agents contain. */
interface BesideFiles {
  readonly numberFiles: readonly NumberFile[];
  readonly workflowFiles: readonly WorkflowFile[];
  readonly baseFiles: readonly BaseFile[];
}

export async function runPlan(path: string, options: PlanCommandOptions, context: CommandContext): Promise<void> {
  const { stdout, setExitCode } = context;
  const prepared = await prepare(path, options, context);
  if (prepared === null) return;
  stdout.write(
    options.json ? `${JSON.stringify(preparedToJson(prepared))}\n` : describePrepared(prepared, path, stdout),
  );
  if (options.exitCode !== true) return;
  const items = itemsOf(prepared);
  if (items.some(({ obstacle }) => obstacle !== null)) setExitCode(exitCodes.conflict);
  else if (items.some(({ action }) => action !== 'none')) setExitCode(exitCodes.differs);
}

function itemsOf({
  plan,
  knowledge,
  numbers,
  workflows,
}: Prepared): readonly { readonly action: string; readonly obstacle: string | null }[] {
  return [...plan.items, ...knowledge.items, ...numbers.items, ...workflows.items];
}

function describePrepared(prepared: Prepared, path: string, stdout: NodeJS.WriteStream): string {
  const { plan, workspace, knowledge, numbers, workflows } = prepared;
  const beside = [
    describeBasePlan(knowledge, path, stdout),
    describeNumberPlan(numbers, path, stdout),
    describeWorkflowPlan(workflows, path, stdout),
  ];
  return `${describePlan(plan, workspace, path, stdout)}${beside.join('')}`;
}

function preparedToJson({ plan, workspace, knowledge, numbers, workflows }: Prepared): object {
  const beside = { ...basePlanToJson(knowledge), ...numberPlanToJson(numbers), ...workflowPlanToJson(workflows) };
  return { ...planToJson(plan, workspace), ...beside };
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
  const beside = {
    numberFiles: await readNumberFiles(path),
    workflowFiles: await readWorkflowFiles(path),
    baseFiles: await readBaseFiles(path),
  };
  const issues = [...files.values(), ...Object.values(beside).flat()].flatMap((file) => file.issues);
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
    const ids = new Set([...state.agents.values()].map(({ id }) => id));
    const names = new Set(options.adopt ? [...files.values()].map(({ content }) => content?.name) : []);
    const needsTag = ({ id, name }: { id: string; name: string }) => ids.has(id) || names.has(name);
    const seen = await withTags(workspace.client, agents, state, needsTag, progress.show);
    followRenamedFiles(state, files, seen);
    const { knowledge, agentFiles } = await planKnowledge(beside.baseFiles, files, { state, options }, workspace);
    const plan = makePlan({ files: agentFiles, state, seen, options, now: Date.now() });
    const known = { agentFiles: files, agents, state, options };
    return { workspace, folderState, state, plan, knowledge, ...(await planBeside(beside, known, workspace)) };
  } finally {
    progress.end();
  }
}

/** The bases are read only if files are about them, or name one. */
async function planKnowledge(
  files: readonly BaseFile[],
  agents: ReadonlyMap<string, AgentFile>,
  known: { readonly state: WorkspaceState; readonly options: PlanOptions },
  { client }: Workspace,
): Promise<{ readonly knowledge: BasePlan; readonly agentFiles: ReadonlyMap<string, AgentFile> }> {
  const isAboutBases = files.length > 0 || known.state.knowledge.size > 0;
  const areNamed = [...agents.values()].some(({ content }) => content !== null && baseNamesIn(content).length > 0);
  if (!isAboutBases && !areNamed) return { knowledge: emptyBasePlan, agentFiles: agents };
  const seen = await readBases(client, files);
  const knowledge = isAboutBases ? planBases({ ...known, files, seen }) : emptyBasePlan;
  return { knowledge, agentFiles: agentsWithIds(agents, seen.bases, knowledge) };
}

/** Only what has, or had, files is read from the service. */
async function planBeside(
  { numberFiles, workflowFiles }: BesideFiles,
  known: {
    readonly agentFiles: ReadonlyMap<string, AgentFile>;
    readonly agents: readonly Agent[];
    readonly state: WorkspaceState;
    readonly options: PlanOptions;
  },
  { client, hasNumbers }: Workspace,
): Promise<Pick<Prepared, 'numbers' | 'workflows'>> {
  const { state } = known;
  const isAboutNumbers = numberFiles.length > 0 || state.numbers.size > 0;
  const isAboutWorkflows = workflowFiles.length > 0 || state.workflows.size > 0;
  const dialed = new Set(numberFiles.flatMap(({ content }) => content?.number ?? []));
  return {
    numbers: isAboutNumbers
      ? planNumbers({ ...known, files: numberFiles, seen: await readNumbers(client) })
      : emptyNumberPlan,
    workflows: isAboutWorkflows
      ? planWorkflows({
          ...known,
          dialed,
          files: workflowFiles,
          ...(await readWorkflows(client, workflowFiles, hasNumbers)),
        })
      : emptyWorkflowPlan,
  };
}

async function applyPrepared(
  path: string,
  prepared: Prepared,
  options: ApplyCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { stdout, stderr, setExitCode } = context;
  const { workspace, folderState, state, plan, knowledge, numbers, workflows } = prepared;
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
    const { client } = workspace;
    const parts = { client, state, save: () => folderState.save(), isStopped: () => stop.code() !== null };
    const written = await applyBases({ ...parts, plan: knowledge });
    const outcomes = await applyPlan({
      ...parts,
      plan: await planWithIds(plan, client),
      description: options.description,
      now: Date.now,
      onProgress: progress.show,
    });
    const numberOutcomes = await applyNumbers({ ...parts, plan: numbers });
    const workflowOutcomes = await applyWorkflows({ ...parts, plan: workflows });
    const baseOutcomes = [...written, ...(await deleteBases({ ...parts, plan: knowledge }))];
    progress.end();
    const beside = [
      describeItemOutcomes(baseOutcomes, baseWords, stdout),
      describeItemOutcomes(numberOutcomes, numberWords, stdout),
      describeItemOutcomes(workflowOutcomes, workflowWords, stdout),
    ];
    const besideJson = {
      knowledgeBases: baseOutcomesToJson(baseOutcomes),
      numbers: numberOutcomesToJson(numberOutcomes),
      workflows: workflowOutcomesToJson(workflowOutcomes),
    };
    const others = [...baseOutcomes, ...numberOutcomes, ...workflowOutcomes];
    stdout.write(
      isForPeople
        ? `${describeOutcomes(outcomes, path, stdout, others.length === 0)}${beside.join('')}`
        : `${JSON.stringify({ ...outcomesToJson(outcomes), ...besideJson })}\n`,
    );
    setExitCode(stop.code() ?? exitCodeOf(outcomes, itemExitCodes(others)));
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
