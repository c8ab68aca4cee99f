import { connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { CommandError, invalidUsage } from '../failures.ts';
import { withDialog } from '../terminal/dialog.ts';
import { jsonLine } from '../terminal/text.ts';
import { describeDuration } from '../terminal/time.ts';
import { checkedCallId } from './names.ts';
import type { CallOptions } from './options.ts';

export async function endCall(
  id: string,
  { json = false, ...options }: CallOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const callId = checkedCallId(id);
  const { client } = await connect(options, environment);
  const call = await client.calls.end(callId);
  const how = call.durationMs === null ? '' : ` after ${describeDuration(call.durationMs)}`;
  await print(stdout, json ? jsonLine(call) : `${call.id} is over${how}: ${call.endReason}.\n`);
}

export async function deleteCall(
  id: string,
  { json = false, yes = false, ...options }: CallOptions & { readonly yes?: boolean },
  context: CommandContext,
): Promise<void> {
  const { environment, stdin, stdout, stderr } = context;
  const callId = checkedCallId(id);
  if (!yes && !(stdin.isTTY && stderr.isTTY)) {
    throw invalidUsage('cannot ask for confirmation without a terminal: use --yes');
  }
  const { client } = await connect(options, environment);
  if (!yes) {
    const { type, status, createdAt } = await client.calls.get(callId);
    stderr.write(`  ${callId}  ${type}, ${status}  (created ${createdAt})\n`);
    const answer = await withDialog(context, ({ ask }) => ask('Delete this call with its transcript? [y/N] '));
    if (!/^y(es)?$/i.test(answer)) throw new CommandError('aborted: nothing was deleted');
  }
  const deleted = await client.calls.delete(callId);
  await print(stdout, json ? jsonLine(deleted) : `${deleted.id} deleted.\n`);
}
