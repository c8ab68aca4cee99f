import { mkdir } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Flow } from '../../contract/agents/settings/flow.ts';
import { engineFor } from '../../voice/engines/choose.ts';
import { type Exploration, exploreFlow } from '../../voice/engines/flow/explore.ts';
import { defaultStart } from '../../voice/simulation/prepare.ts';
import { writeText } from '../as-code/document.ts';
import { writeInto } from '../as-code/folder.ts';
import { type CommandContext, paint, print } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { counted, jsonLine, visible } from '../terminal/text.ts';
import { isAgentId, type LocalAgent, loadAgent, type SimulateOptions } from './agent-source.ts';

/** Walks every route of the agent's flow, and prints what it found. */
export async function exploreAgent(options: SimulateOptions, context: CommandContext): Promise<void> {
  const { stdout, setExitCode } = context;
  const target = options.agent as string;
  const local = await loadAgent(target, options, context);
  const flow = flowOf(local);
  const { language, startSkillId, agentSettings } = local.agent;
  const { timeZone } = agentSettings as { readonly timeZone?: string };
  // The time at which scripts start, unless they say otherwise: dates in the generated ones are right for it.
  const exploration = exploreFlow(flow, { language, startSkillId, timeZone, now: defaultStart });
  const files = options.write === undefined ? [] : await writeScripts(exploration, target, options.write);
  const text = options.json
    ? jsonLine({ agent: target, ...exploration })
    : describeExploration(exploration, { local, flow, target, files, stream: stdout });
  await print(stdout, text);
  if (exploration.findings.length > 0) setExitCode(exitCodes.failed);
}

function flowOf({ name, agent }: LocalAgent): Flow {
  if (engineFor(agent, true) === 'flow') return (agent.agentSettings as { readonly flow: Flow }).flow;
  throw invalidUsage(
    `${visible(name)} has no flow to explore: it needs responseEngine.type conversation_flow and agentSettings.flow`,
  );
}

interface Explored {
  readonly local: LocalAgent;
  readonly flow: Flow;
  readonly target: string;
  /** The scripts that were written; if none were, they are printed. */
  readonly files: readonly string[];
  readonly stream: NodeJS.WriteStream;
}

function describeExploration(exploration: Exploration, explored: Explored): string {
  const { coverage, longestPath, situations, isComplete } = exploration;
  const { local, target, stream } = explored;
  const bold = (text: string) => paint('bold', text, stream);
  const tried = `${situations.toLocaleString('en')}${isComplete ? '' : ', more than could be tried'}`;
  return [
    `${bold(visible(target))}  ${visible(local.name)}\n\n`,
    `${bold('Coverage')}      ${coverage.percent} % (${coverage.taken} of ${coverage.ways} ways)\n`,
    ...coverage.notTaken.map((way) => `              not taken: ${visible(way)}\n`),
    `${bold('Situations')}    ${tried}\n`,
    `${bold('Longest path')}  ${longestPath.length} skills: ${visible(longestPath.join(' → '))}\n\n`,
    describeFindings(exploration, explored),
    '\n',
    describeScripts(exploration, explored),
  ].join('');
}

function describeFindings({ findings }: Exploration, { local, flow, stream }: Explored): string {
  if (findings.length === 0) return paint('green', '✔ no findings\n', stream);
  const lines = findings.map(({ kind, path, message }) => {
    const place = local.placeOf(['agentSettings', 'flow', ...path]);
    const skill = path[0] === 'skills' ? (flow.skills[path[1] as number]?.id ?? '') : String(path[0]);
    const inner = path.slice(path[0] === 'skills' ? 2 : 1).join('.');
    const where = `${skill}${inner === '' ? '' : `.${inner}`}`;
    const start = place === null ? '' : `${place}  `;
    return `${paint('red', '✖', stream)} ${start}${visible(where)}: ${visible(message)} ${paint('gray', `(${kind})`, stream)}\n`;
  });
  return `${lines.join('')}${paint('red', counted(findings.length, 'finding'), stream)}\n`;
}

function describeScripts({ ends }: Exploration, { target, files, stream }: Explored): string {
  if (ends.length === 0) return paint('yellow', '! no end of the flow can be reached\n', stream);
  if (files.length > 0) {
    return `The shortest script to each end:\n${files.map((file) => `  ${visible(file)}\n`).join('')}`;
  }
  const scripts = ends.map(({ skill, script }) => `\n${scriptText(skill, script, target)}`);
  return `${paint('bold', 'The shortest script to each end', stream)}\n${scripts.join('')}`;
}

function scriptText(skill: string, script: object, agent: string): string {
  return `# The shortest way to ${skill}.\n${writeText({ agent, ...script }, 'yaml')}`;
}

async function writeScripts({ ends }: Exploration, target: string, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const agent = isAgentId(target) ? target : relative(folder, target);
  for (const { skill, script } of ends) {
    await writeInto(folder, `${skill}.yaml`, scriptText(skill, script, agent), false);
  }
  return ends.map(({ skill }) => `${folder.replace(/\/$/, '')}/${skill}.yaml`);
}
