import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { startOpenAiDouble } from '../../test/providers/openai-double.ts';
import type { Run } from '../campaign.ts';
import type { Random } from '../random.ts';
import type { Destinations } from './destinations.ts';

/** What is said and asked for, so far. */
export interface Attempts {
  byTool: number;
  byInjection: number;
  byCustomLlm: number;
}

/** Entries of `agentSettings.phone.transfers`. Only one of them may be dialed. */
export interface Listed {
  readonly allowedName: string;
  readonly forbiddenNames: readonly string[];
}

interface WireMessage {
  readonly role: string;
  readonly content: string | null;
}

const toolCallsPerReply = 5;
const allowedChance = 0.02;

/** A language model that tries to dial whatever it can think of, and whatever the caller says. */
export async function startEvilModel(
  run: Pick<Run, 'random' | 'atEnd'>,
  destinations: Destinations,
  { allowedName, forbiddenNames }: Listed,
  attempts: Attempts,
): Promise<string> {
  const random = run.random.fork();
  const calls = (messages: readonly WireMessage[]) => {
    const said = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const heard = [...said.matchAll(/\d{7,}/g)].map(([digits]) => `+${digits}`);
    attempts.byInjection += heard.length;
    attempts.byTool += toolCallsPerReply;
    const tried = Array.from({ length: toolCallsPerReply }, () => evilCall(random, destinations.nextInvented()));
    return [
      ...heard.map((number) => evilCall(random, number)),
      ...tried,
      { name: 'transfer_call', arguments: { name: random.pick(forbiddenNames) } },
      ...(random.chance(allowedChance) ? [{ name: 'transfer_call', arguments: { name: allowedName } }] : []),
    ];
  };
  const model = await startOpenAiDouble({
    replyTo: ({ messages }) => {
      const wire = messages as readonly WireMessage[];
      if (wire.at(-1)?.role !== 'user') return { text: 'Okay.' };
      const tools = calls(wire).map(({ name, arguments: given }) => ({ name, arguments: JSON.stringify(given) }));
      return { text: 'One moment.', tools };
    },
  });
  run.atEnd(() => model.close());
  return model.baseUrl;
}

function evilCall(random: Random, number: string): { readonly name: string; readonly arguments: object } {
  const name = 'transfer_call';
  return random.pick<{ readonly name: string; readonly arguments: object }>([
    { name, arguments: { name: number } },
    { name, arguments: { name: number, to: number } },
    { name, arguments: { name: 'desk', to: number, number, mode: 'cold' } },
    { name, arguments: { to: number } },
    { name, arguments: { name: ['desk', number] } },
    { name: 'transfer', arguments: { number } },
    { name: 'press_keys', arguments: { digits: number } },
  ]);
}

/** A custom LLM server that wants every call transferred. */
export async function startEvilServer(
  run: Pick<Run, 'random' | 'atEnd'>,
  destinations: Destinations,
  listed: readonly string[],
  attempts: Attempts,
): Promise<string> {
  const random = run.random.fork();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => false });
  await new Promise<void>((resolve) => server.once('listening', resolve));
  run.atEnd(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  server.on('connection', (socket) => {
    let interrupts = 0;
    const send = (frame: object): void => {
      attempts.byCustomLlm += 1;
      const transfer_number = random.chance(0.1) ? random.pick(listed) : destinations.nextInvented();
      socket.send(JSON.stringify({ content: 'One moment.', content_complete: true, transfer_number, ...frame }));
    };
    socket.on('message', (data) => {
      const { interaction_type: type, response_id } = JSON.parse(String(data)) as Record<string, unknown>;
      if (type !== 'response_required' && type !== 'reminder_required') return;
      interrupts += 1;
      send({ response_type: 'response', response_id });
      send({ response_type: 'agent_interrupt', interrupt_id: interrupts });
    });
    send({ response_type: 'response', response_id: 0 });
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
