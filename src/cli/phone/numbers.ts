import type { ImportPhoneNumber, VoiceAgents } from '../../../sdk/src/index.ts';
import type { PhoneNumber } from '../../../sdk/src/schema.ts';
import { findAgent } from '../agents/find.ts';
import { followCall } from '../calls/follow-call.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print, printResult } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { listOf } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';
import { findCarrier, findNumber } from './find.ts';
import { describeNumber, hasFailedCheck } from './show.ts';

interface RoutingOptions extends CommandOptions {
  readonly name?: string;
  readonly agent?: string;
  readonly agentVersion?: string;
  readonly fallback?: string;
  readonly requestUrl?: string;
  readonly fromCountries?: string;
  readonly blockedNumbers?: string;
  readonly inbound?: 'on' | 'off';
  readonly outbound?: 'on' | 'off';
  readonly outboundAgents?: string;
  readonly ringTimeout?: number;
}

interface ImportOptions extends RoutingOptions {
  readonly carrier?: string;
  readonly configure: boolean;
}

interface TestOptions extends CommandOptions {
  readonly phone: '01' | '08' | '11' | '12';
  readonly caller?: string;
  readonly wait: boolean;
}

type Routing = Pick<ImportPhoneNumber, 'inbound' | 'outbound'>;

export async function importNumber(number: string, options: ImportOptions, context: CommandContext): Promise<void> {
  const { name, carrier: target, configure } = options;
  const { client } = await connect(options, context.environment);
  const carrier = await findCarrier(client, target, number);
  const routing = await routingOf(client, options);
  const { id } = await client.phoneNumbers.import({
    carrierId: carrier.id,
    number,
    ...(name !== undefined && { name }),
    ...routing,
    configureCarrier: configure,
  });
  await showChecked(await client.phoneNumbers.waitUntilChecked(id), options, context);
}

export async function updateNumber(target: string, options: RoutingOptions, context: CommandContext): Promise<void> {
  const { client } = await connect(options, context.environment);
  const routing = await routingOf(client, options);
  const changes = { ...(options.name !== undefined && { name: options.name }), ...routing };
  if (Object.keys(changes).length === 0) throw invalidUsage('nothing to update: see "numbers update --help"');
  const { id } = await findNumber(client, target);
  const updated = await client.phoneNumbers.update(id, changes);
  await printResult(updated, describeNumber(updated, context.stdout), options, context);
}

export async function verifyNumber(target: string, options: CommandOptions, context: CommandContext): Promise<void> {
  const { client } = await connect(options, context.environment);
  const { id } = await findNumber(client, target);
  await showChecked(await client.phoneNumbers.verify(id), options, context);
}

export async function testNumber(target: string, options: TestOptions, context: CommandContext): Promise<void> {
  const { phone, caller, wait } = options;
  const { client } = await connect(options, context.environment);
  const { id } = await findNumber(client, target);
  const { callId } = await client.phoneNumbers.test(id, { phone, ...(caller !== undefined && { from: caller }) });
  if (wait) return followCall(client, callId, options, context);
  await printResult({ callId }, `${callId}\n`, options, context);
}

async function showChecked(phoneNumber: PhoneNumber, options: CommandOptions, context: CommandContext): Promise<void> {
  await printResult(phoneNumber, describeNumber(phoneNumber, context.stdout), options, context);
  if (!hasFailedCheck(phoneNumber)) return;
  await print(context.stderr, 'A check has failed: see its remedy, then run "voice-agents numbers verify".\n');
  context.setExitCode(exitCodes.failed);
}

/** The fields to change, without those that were not given. */
async function routingOf(client: VoiceAgents, options: RoutingOptions): Promise<Routing> {
  const { agent, outboundAgents, ringTimeout } = options;
  const agentId = agent === undefined || agent === 'none' ? agent : (await findAgent(client, agent)).id;
  const callers = outboundAgents === 'any' ? [] : listOf(outboundAgents);
  const agentIds: string[] | undefined = callers && [];
  for (const caller of callers ?? []) agentIds?.push((await findAgent(client, caller)).id);
  const inbound = given({
    enabled: isOn(options.inbound),
    agentId: agentId === 'none' ? null : agentId,
    agentVersion: versionOf(options.agentVersion),
    requestUrl: options.requestUrl === 'none' ? null : options.requestUrl,
    fallback: fallbackOf(options.fallback),
    allowedCountries: options.fromCountries === 'all' ? [] : listOf(options.fromCountries),
    blockedNumbers: options.blockedNumbers === 'none' ? [] : listOf(options.blockedNumbers),
  });
  const ringTimeoutMs = ringTimeout === undefined ? undefined : ringTimeout * 1000;
  const outbound = given({ enabled: isOn(options.outbound), agentIds, ringTimeoutMs });
  return given({
    inbound: Object.keys(inbound).length === 0 ? undefined : inbound,
    outbound: Object.keys(outbound).length === 0 ? undefined : outbound,
  });
}

/** Without undefined values. */
function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function isOn(state: 'on' | 'off' | undefined): boolean | undefined {
  return state === undefined ? undefined : state === 'on';
}

function versionOf(text: string | undefined): number | 'published' | undefined {
  if (text === undefined || text === 'published') return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw invalidUsage(`--agent-version must be a version number or "published", not "${visible(text)}"`);
}

/** A number, `reject`, or else a message. */
function fallbackOf(text: string | undefined) {
  if (text === undefined) return undefined;
  if (text === 'reject') return { type: 'reject' } as const;
  if (/^\+\d+$/.test(text)) return { type: 'number', to: text } as const;
  return { type: 'message', text } as const;
}
