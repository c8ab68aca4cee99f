import { findAgent } from '../agents/find.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, paint, print, printResult } from '../context.ts';
import { findNumber } from '../phone/find.ts';
import { checkedVersion } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';
import { followCall } from './follow-call.ts';
import { variablesOf } from './variables.ts';

interface DialOptions extends CommandOptions {
  readonly from: string;
  readonly to: string;
  readonly version: string;
  readonly variable?: readonly string[];
  readonly ringTimeout?: number;
  readonly record?: boolean;
  readonly wait: boolean;
}

/** `voice-agents calls dial`: a phone call of an agent. */
export async function dial(target: string, options: DialOptions, context: CommandContext): Promise<void> {
  const { from, to, ringTimeout, record, wait, json = false } = options;
  const version = checkedVersion(options.version, '--version');
  const variables = variablesOf(options.variable ?? []);
  const { client } = await connect(options, context.environment);
  const agent = await findAgent(client, target);
  const number = await findNumber(client, from);
  const call = await client.calls.create({
    type: 'phone',
    agentId: agent.id,
    agentVersion: /^\d/.test(version) ? Number(version) : (version as 'latest' | 'published'),
    fromPhoneNumberId: number.id,
    to,
    variables,
    ...(ringTimeout !== undefined && { ringTimeoutMs: ringTimeout * 1000 }),
    ...(record !== undefined && { recordingEnabled: record }),
  });
  if (!wait) return printResult(call, `${call.id}\n`, options, context);
  const screen = json ? context.stderr : context.stdout;
  const title = `${visible(agent.name ?? agent.id)} · version ${call.agentVersion} · ${number.number} → ${to}`;
  await print(screen, `${paint('bold', title, screen)}\n`);
  await followCall(client, call.id, options, context);
}
