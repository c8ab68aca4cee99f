import type { Call, TypedCallEvent, VoiceAgents } from '../../../sdk/src/index.ts';
import type { CommandOptions } from '../connection/connection.ts';
import { type CommandContext, paint, print } from '../context.ts';
import { exitCodes } from '../failures.ts';
import { onSignal } from '../terminal/exit-cleanup.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import { describeDuration } from '../terminal/time.ts';
import { describeTurn, head } from '../terminal/transcript.ts';

/**
 * Shows a phone call until it is over: its states, what is said, keys and transfers. The exit code tells how it ended.
 * With `--json`, the call is printed at the end, and everything else goes to standard error.
 */
export async function followCall(
  client: VoiceAgents,
  callId: string,
  { json = false }: CommandOptions,
  context: CommandContext,
): Promise<void> {
  const { stdout, stderr, setExitCode } = context;
  const screen = json ? stderr : stdout;
  const forget = hangUpOnSignal(client, callId, context);
  try {
    for await (const event of client.calls.events.follow(callId)) {
      await print(screen, linesOf(event, screen).join(''));
    }
  } finally {
    forget();
  }
  const call = await client.calls.get(callId);
  await print(screen, `${describeOutcome(call)}\n`);
  if (json) await print(stdout, jsonLine(call));
  setExitCode(exitCodeOf(call));
}

/**
 * On a terminal, the first Ctrl-C only says that the second one hangs up, because somebody is on the phone. A program
 * that ends the command wants the call to end. One more exits at once.
 */
function hangUpOnSignal(client: VoiceAgents, callId: string, { stdin, stderr }: CommandContext): () => void {
  let step = stdin.isTTY ? 0 : 1;
  return onSignal((exitCode) => {
    step += 1;
    if (step === 1) {
      stderr.write('The call goes on. Press Ctrl-C again to hang up.\n');
    } else if (step === 2) {
      stderr.write('Hanging up …\n');
      client.calls.end(callId).catch((error: Error) => {
        stderr.write(`The call could not be ended: ${visible(error.message)}\n`);
        process.exit(exitCode);
      });
    } else process.exit(exitCode);
  });
}

const states: Readonly<Record<string, string>> = {
  queued: 'Waiting for a free slot.',
  registered: 'Dialing.',
  ringing: 'Ringing.',
  ongoing: 'Answered.',
};

function linesOf(event: TypedCallEvent, stream: NodeJS.WriteStream): string[] {
  if (event.type === 'turn_completed') return describeTurn(event.data.turn, stream).map((line) => `${line}\n`);
  const note = noteOf(event);
  if (note === null) return [];
  const start = event.offsetMs === null ? '' : head(event.offsetMs, 'end', 'gray', stream).replace('end', '   ');
  return [`${start}${paint('gray', visible(note), stream)}\n`];
}

/** Null: nothing to say about it. */
function noteOf(event: TypedCallEvent): string | null {
  switch (event.type) {
    case 'state_changed':
      return states[event.data.to] ?? null;
    case 'answered_by':
      return `Answered by: ${event.data.by}.`;
    case 'dtmf_received':
      return `The caller pressed ${event.data.digits ?? 'keys'}.`;
    case 'dtmf_sent':
      return `Pressed ${event.data.digits ?? 'keys'}.`;
    case 'transfer_updated': {
      const { name, mode, status, reason } = event.data;
      return `Transfer${name === null ? '' : ` to ${name}`} (${mode}) ${status}${reason === null ? '' : `: ${reason}`}.`;
    }
    case 'warning':
      return `Warning: ${event.data.message}`;
    default:
      return null;
  }
}

function describeOutcome({ id, status, endReason, endDetail, durationMs }: Call): string {
  const what = { ended: 'The call ended', not_connected: 'Not connected' }[status as string] ?? 'The call failed';
  const duration = durationMs === null ? '' : ` after ${describeDuration(durationMs)}`;
  const detail = endDetail === null ? '' : ` (${visible(endDetail)})`;
  return `${what}${duration}: ${endReason}${detail} · ${id}`;
}

function exitCodeOf({ status }: Call): number {
  if (status === 'ended') return exitCodes.done;
  return status === 'not_connected' ? exitCodes.notConnected : exitCodes.failed;
}
