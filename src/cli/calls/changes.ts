import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { checkedId } from '../resources/ids.ts';
import { jsonLine } from '../terminal/text.ts';
import { describeDuration } from '../terminal/time.ts';

export async function endCall(
  id: string,
  { json = false, ...options }: CommandOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const callId = checkedId('call', id);
  const { client } = await connect(options, environment);
  const call = await client.calls.end(callId);
  const how = call.durationMs === null ? '' : ` after ${describeDuration(call.durationMs)}`;
  await print(stdout, json ? jsonLine(call) : `${call.id} is over${how}: ${call.endReason}.\n`);
}
