import type { EventFollower, FollowEventsOptions, TypedEvent, VoiceAgents } from '../../../sdk/src/index.ts';
import { isWebhookSecret, newTraceparent, newWebhookSecret, signatureHeaders } from '../../core/webhook-signature.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, paint, print } from '../context.ts';
import { invalidUsage } from '../failures.ts';
import { listOf } from '../resources/ids.ts';
import { jsonLine, visible } from '../terminal/text.ts';
import { describeTime } from '../terminal/time.ts';

interface TailOptions extends CommandOptions {
  readonly type?: string;
  readonly since?: string;
  readonly cursor?: string;
}

interface ListenOptions extends CommandOptions {
  readonly forward: string;
  readonly type?: string;
}

const forwardTimeoutMs = 15_000;
/** How long the transaction of an event may take, and how far the clocks of several instances may differ. */
const latestCommitMs = 60_000;

export async function tailEvents(
  { json = false, type, since, cursor, ...options }: TailOptions,
  { environment, stdout, stderr }: CommandContext,
): Promise<void> {
  const { client } = await connect(options, environment);
  const start = cursor === undefined ? await startOf(client, since, type) : { options: { cursor }, after: null };
  const reached = await followed(client, start, async (event) => {
    await print(stdout, json ? jsonLine(event) : lineOf(event, stdout));
  });
  if (reached !== undefined) stderr.write(`Continue with --cursor ${reached}\n`);
}

export async function listen(
  { forward, type, ...options }: ListenOptions,
  { environment, stdout, stderr, version }: CommandContext,
): Promise<void> {
  const url = URL.parse(forward);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalidUsage('--forward must be a URL that starts with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidUsage('--forward must not contain a user name or a password');
  }
  const { client } = await connect(options, environment);
  const given = environment.VOICE_AGENTS_WEBHOOK_SECRET || undefined;
  if (given !== undefined && !isWebhookSecret(given)) {
    throw invalidUsage('VOICE_AGENTS_WEBHOOK_SECRET must be whsec_ and base64');
  }
  const secret = given ?? newWebhookSecret();
  // First, so that everything that happens after the message is forwarded.
  const start = await startOf(client, undefined, type);
  if (given === undefined) stderr.write(`Secret for verifying requests: ${secret}\n`);
  stderr.write(`Forwarding events to ${visible(url.href)}. Stop with Ctrl-C.\n`);
  await followed(client, start, async (event, signal) => {
    // The rest of a page is not sent after Ctrl-C.
    if (signal.aborted) return;
    const result = await forwarded(event, url, secret, version, signal);
    await print(stdout, `${lineOf(event, stdout).trimEnd()}  →  ${result}\n`);
  });
}

/** Where to start. */
interface Start {
  readonly options: FollowEventsOptions;
  /** What comes before this event, and itself, is left out. */
  readonly after: Pick<TypedEvent, 'id' | 'timestamp'> | null;
}

/** Now, unless a time is given. */
async function startOf(client: VoiceAgents, since: string | undefined, types: string | undefined): Promise<Start> {
  const type = listOf(types) as FollowEventsOptions['type'];
  // The service checks the time.
  if (since !== undefined) return { options: { type, createdAfter: since }, after: null };
  // The first pages are empty if the type is rare.
  for await (const newest of client.events.list({ limit: 1, type })) {
    // Events are in the order of their commits: one that comes later may be of the same time, or an earlier one.
    const createdAfter = new Date(Date.parse(newest.timestamp) - latestCommitMs).toISOString();
    return { options: { type, createdAfter }, after: newest };
  }
  return { options: { type }, after: null };
}

/** Whether an event comes after the one to start at, even if that one is no longer kept. */
function isLater({ timestamp }: TypedEvent, after: Start['after']): boolean {
  return after === null || Date.parse(timestamp) > Date.parse(after.timestamp) + latestCommitMs;
}

/** Until Ctrl-C. Resolves to the cursor to continue with. */
async function followed(
  client: VoiceAgents,
  { options, after }: Start,
  handle: (event: TypedEvent, signal: AbortSignal) => Promise<void>,
): Promise<string | undefined> {
  const stop = new AbortController();
  const follower: EventFollower = client.events.follow({ ...options, signal: stop.signal });
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  let isPast = false;
  try {
    for await (const event of follower) {
      isPast ||= isLater(event, after);
      if (isPast) await handle(event, stop.signal);
      else isPast = event.id === after?.id;
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
  return follower.cursor;
}

function lineOf({ type, subject, timestamp }: TypedEvent, stream: NodeJS.WriteStream): string {
  return `${describeTime(timestamp, stream)}  ${paint('bold', type, stream)}  ${subject.id}\n`;
}

/** Like a webhook, but once: a failure is printed in the terminal. */
async function forwarded(
  { id, body }: TypedEvent,
  url: URL,
  secret: string,
  version: string,
  stop: AbortSignal,
): Promise<string> {
  if (body === null) return 'not sent: its content was removed';
  // The same bytes that webhooks get: the service has written them with JSON.stringify, too.
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    'user-agent': `voice-agents/${version}`,
    traceparent: newTraceparent(),
    ...signatureHeaders(id, Math.floor(Date.now() / 1000), text, [secret]),
  };
  const timeout = AbortSignal.timeout(forwardTimeoutMs);
  const signal = AbortSignal.any([timeout, stop]);
  try {
    const response = await fetch(url, { method: 'POST', headers, body: text, redirect: 'manual', signal });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    if (stop.aborted) return 'failed: stopped before an answer';
    if (timeout.aborted) return 'failed: no answer in time';
    const { code, message } = ((error as Error).cause ?? {}) as { readonly code?: string; readonly message?: string };
    return `failed: ${visible(code ?? message ?? 'no answer')}`;
  }
}
