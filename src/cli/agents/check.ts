import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { AgentCheck } from '../../../sdk/src/schema.ts';
import { checkResult } from '../../areas/agents/check.ts';
import { type PublishableContent, publishability } from '../../areas/agents/publishable.ts';
import { AllowedNetworks, defaultNetworks } from '../../net/networks.ts';
import { readAgentFile } from '../as-code/agent-file.ts';
import type { Content } from '../as-code/content.ts';
import { formatOf } from '../as-code/document.ts';
import { describeIssues } from '../as-code/report.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, paint, print } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { checkedId, checkedVersion } from '../resources/ids.ts';
import { counted, jsonLine, visible } from '../terminal/text.ts';

type CheckOptions = CommandOptions & { readonly version?: string };

/** Checks an agent of the service, or one in a file, for which no service is needed. */
export async function checkAgent(target: string, options: CheckOptions, context: CommandContext): Promise<void> {
  const { stdout, setExitCode } = context;
  const result =
    formatOf(target) === null ? await checkStored(target, options, context) : await checkFile(target, options);
  await print(stdout, options.json ? jsonLine(result) : describeCheck(target, result, stdout));
  if (!result.publishable) setExitCode(exitCodes.failed);
}

async function checkStored(id: string, options: CheckOptions, { environment }: CommandContext): Promise<AgentCheck> {
  const agentId = checkedId('agent', id);
  const version = options.version === undefined ? {} : { version: checkedVersion(options.version, '--version') };
  return (await connect(options, environment)).client.agents.check(agentId, version);
}

/** By the default settings of a service on this machine, because nothing is known about any other. */
async function checkFile(path: string, options: CheckOptions): Promise<AgentCheck> {
  const { content } = await readAgent(path, options);
  return checkResult(publishability(agentOf(content), new AllowedNetworks(defaultNetworks('localhost'))));
}

/** The content of an agent file, and its bytes. */
export async function readAgent(path: string, { version }: Pick<CheckOptions, 'version'>) {
  if (version !== undefined) throw invalidUsage('--version is for agents of a service, not for files');
  const format = formatOf(path);
  if (format === null) throw invalidUsage(`"${visible(path)}" is neither an agent id nor a .yaml, .yml or .json file`);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw invalidUsage(`there is no agent file ${visible(path)}`);
  });
  const { content, issues } = readAgentFile(basename(path), bytes, format);
  if (content !== null) return { content, bytes, format };
  throw invalidUsage(`this is not a valid agent file\n${describeIssues(issues, dirname(path)).trimEnd()}`);
}

/** In a file, null is an engine without a model. */
export function agentOf(content: Content): PublishableContent {
  const { model, ...engine } = content.responseEngine as Record<string, unknown>;
  const responseEngine = model === null ? engine : { ...engine, model };
  return { ...content, responseEngine } as unknown as PublishableContent;
}

export function describeCheck(
  target: string,
  { publishable, errors, warnings }: AgentCheck,
  stream: NodeJS.WriteStream,
): string {
  const lines = (findings: AgentCheck['errors'], title: string, color: 'red' | 'yellow') =>
    findings.map(({ field, path, message }) => {
      const place = path === '' ? field : `${field}.${path}`;
      return `  ${paint(color, title, stream)}  ${visible(place)}: ${visible(message)}\n`;
    });
  const verdict = publishable
    ? paint('green', 'can be published', stream)
    : paint('red', 'cannot be published', stream);
  const counts = [
    ...(errors.length === 0 ? [] : [counted(errors.length, 'error')]),
    ...(warnings.length === 0 ? [] : [counted(warnings.length, 'warning')]),
  ];
  const head = `${visible(target)} ${verdict}${counts.length === 0 ? '' : ` (${counts.join(', ')})`}.\n`;
  return [head, ...lines(errors, 'error  ', 'red'), ...lines(warnings, 'warning', 'yellow')].join('');
}
