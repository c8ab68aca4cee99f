import type { EventFollower, FollowEventsOptions, TypedEvent, VoiceAgents } from '../../../sdk/src/index.ts';
import { newWebhookSecret, signatureHeaders } from '../../core/webhook-signature.ts';
import { CommandError } from '../command-error.ts';
import { connect } from '../connection.ts';
import { type CommandContext, paint } from '../context.ts';
import { exitCodes } from '../failures.ts';
import { print } from '../output.ts';
import { jsonLine, visible } from '../terminal-text.ts';
import { describeTime } from '../time.ts';
import { listOf } from './names.ts';
import type { ListenOptions, TailOptions } from './options.ts';

const forwardTimeoutMs = 15_000;

export async function tailEvents(
  { json = false, type, since, cursor, ...options }: TailOptions,
  { environment, stdout, stderr }: CommandContext,
): Promise<void> {
  const { client } = await connect(options, environment);
  const start = cursor === undefined ? await startOf(client, since, type) : { cursor };
  await followed(client, start, stderr, async (event) => {
    await print(stdout, json ? jsonLine(event) : lineOf(event, stdout));
  });
}

export async function listen(
  { forward, type, ...options }: ListenOptions,
  { environment, stdout, stderr, version }: CommandContext,
): Promise<void> {
  const url = URL.parse(forward);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandError('--forward must be a URL that starts with http:// or https://', exitCodes.invalidUsage);
  }
  const { client } = await connect(options, environment);
  const given = environment.VOICE_AGENTS_WEBHOOK_SECRET || undefined;
  const secret = given ?? newWebhookSecret();
  if (given === undefined) stderr.write(`Secret, to verify requests with: ${secret}\n`);
  stderr.write(`Forwarding events to ${visible(url.href)}. Stop with Ctrl-C.\n`);
  const start = await startOf(client, undefined, type);
  await followed(client, start, stderr, async (event) => {
    const result = await forwarded(event, url, secret, version);
    await print(stdout, `${lineOf(event, stdout).trimEnd()}  →  ${result}\n`);
  });
}

/** Now, unless a time is given. */
async function startOf(client: VoiceAgents, since: string | undefined, types: string | undefined) {
  const type = listOf(types) as FollowEventsOptions['type'];
  // The service checks the time. Without one, everything up to now is left out, by the clock of the service.
  if (since !== undefined) return { type, createdAfter: since };
  const { items } = await client.events.list({ limit: 1 });
  const newest = items[0]?.timestamp;
  return { type, ...(newest === undefined ? {} : { createdAfter: afterTime(newest) }) };
}

function afterTime(timestamp: string): string {
  return new Date(Date.parse(timestamp) + 1).toISOString();
}

/** Until Ctrl-C, which prints where to continue. */
async function followed(
  client: VoiceAgents,
  options: FollowEventsOptions,
  stderr: NodeJS.WriteStream,
  handle: (event: TypedEvent) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const follower: EventFollower = client.events.follow({ ...options, signal: stop.signal });
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    for await (const event of follower) await handle(event);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    if (follower.cursor !== undefined) stderr.write(`Continue with --cursor ${follower.cursor}\n`);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function lineOf({ type, subject, timestamp }: TypedEvent, stream: NodeJS.WriteStream): string {
  return `${describeTime(timestamp, stream)}  ${paint('bold', type, stream)}  ${subject.id}\n`;
}

/** Like a webhook, but once: a failure is printed in the terminal. */
async function forwarded({ id, body }: TypedEvent, url: URL, secret: string, version: string): Promise<string> {
  if (body === null) return 'not sent: its content was removed';
  // The same bytes that webhooks get: the service has written them with JSON.stringify, too.
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    'user-agent': `voice-agents/${version}`,
    ...signatureHeaders(id, Math.floor(Date.now() / 1000), text, [secret]),
  };
  const signal = AbortSignal.timeout(forwardTimeoutMs);
  try {
    const response = await fetch(url, { method: 'POST', headers, body: text, redirect: 'manual', signal });
    await response.body?.cancel();
    return String(response.status);
  } catch {
    return 'failed: no answer';
  }
}
