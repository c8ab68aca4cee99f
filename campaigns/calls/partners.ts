import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Reads } from '../../src/storage/database.ts';
import { type DoubleReply, startOpenAiDouble } from '../../test/providers/openai-double.ts';
import type { Run } from '../campaign.ts';
import type { Random } from '../random.ts';

interface ToolRequest {
  readonly callId: string;
  readonly toolCallId: string;
  readonly arguments: { readonly item?: string; readonly name?: string };
}

export interface WireMessage {
  readonly role: string;
  readonly content: string | null;
}

const failureChance = 0.2;
const maxToolMs = 400;
/** Longer than a lease: a process that is paused meanwhile loses its call. */
const longToolMs = 2500;

/**
 * The language model and the server of the tools, as partners run them. Whatever reaches them must be in the database
 * already: they are the only ones who can tell.
 */
export class Partners {
  readonly modelUrl: string;
  readonly toolUrl: string;
  /** The ids under which each thing was booked. */
  readonly bookings: ReadonlyMap<string, ReadonlySet<string>>;
  readonly counts: { modelRequests: number; modelFailures: number; toolRequests: number };

  /** Resolves when a tool begins that takes longer than a lease. */
  readonly untilLongTool: () => Promise<void>;

  private constructor(parts: Pick<Partners, 'modelUrl' | 'toolUrl' | 'bookings' | 'counts' | 'untilLongTool'>) {
    this.modelUrl = parts.modelUrl;
    this.toolUrl = parts.toolUrl;
    this.bookings = parts.bookings;
    this.counts = parts.counts;
    this.untilLongTool = parts.untilLongTool;
  }

  /** `otherReply`: what the model replies to those who are not callers of this campaign. */
  static async start(
    run: Pick<Run, 'random' | 'found' | 'atEnd'>,
    database: Pick<Reads, 'all'>,
    otherReply: (messages: readonly WireMessage[], headers: IncomingHttpHeaders) => DoubleReply | null = () => null,
  ): Promise<Partners> {
    const counts = { modelRequests: 0, modelFailures: 0, toolRequests: 0 };
    const bookings = new Map<string, Set<string>>();
    const { found, atEnd } = run;
    const random = run.random.fork();
    const isWritten = createLookup(database);
    let waiting: (() => void)[] = [];
    const untilLongTool = () => new Promise<void>((resolve) => void waiting.push(resolve));

    const model = await startOpenAiDouble({
      replyTo: async ({ messages }, headers) => {
        const other = otherReply(messages as readonly WireMessage[], headers);
        if (other !== null) return other;
        counts.modelRequests += 1;
        const [callId, text] = askedBy(messages as readonly WireMessage[]);
        if (!(await isWritten(callId, 'caller', text)))
          found('a model is asked before what the caller wrote is stored');
        const reply = modelReply(messages as readonly WireMessage[], random);
        if ('status' in reply) counts.modelFailures += 1;
        return reply;
      },
    });
    atEnd(() => model.close());

    const server = createServer(async (request, response) => {
      counts.toolRequests += 1;
      const { callId, toolCallId, arguments: given } = JSON.parse(await textOf(request)) as ToolRequest;
      const booked = `${callId} ${given.item ?? given.name}`;
      bookings.set(booked, (bookings.get(booked) ?? new Set()).add(toolCallId));
      if (!(await isWritten(callId, 'tool', toolCallId))) found('a tool is called before the call of it is stored');
      const isLong = random.chance(0.3);
      if (isLong) {
        for (const resolve of waiting) resolve();
        waiting = [];
      }
      await delay(isLong ? longToolMs : random.int(0, maxToolMs));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ booked: given.item ?? given.name, available: true }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    atEnd(() => {
      server.close();
      server.closeAllConnections();
    });
    const toolUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/book`;
    return new Partners({ modelUrl: model.baseUrl, toolUrl, bookings, counts, untilLongTool });
  }
}

/** Whether a turn of the call has this text or id. Of a transcript that is not stored, only the number of turns is. */
function createLookup(database: Pick<Reads, 'all'>) {
  return async (callId: string, role: string, text: string): Promise<boolean> => {
    const rows = await database.all<{ doc: string | null }>(
      'SELECT doc FROM call_turns WHERE call_id = $1 AND role = $2',
      [callId, role],
    );
    return rows.some(({ doc }) => doc === null || doc.includes(text));
  };
}

export function askedBy(messages: readonly WireMessage[]): [callId: string, text: string] {
  const callId = /call_[0-9a-z]{30}/.exec(messages[0]?.content ?? '')?.[0] ?? '';
  return [callId, messages.findLast(({ role }) => role === 'user')?.content ?? ''];
}

/** Books what it is asked to book, repeats everything else, and fails at times. */
function modelReply(messages: readonly WireMessage[], random: Random): DoubleReply {
  if (random.chance(failureChance)) return { status: 500 };
  const last = messages.at(-1);
  // It is an error if the process has lost the call meanwhile; then nobody gets the reply.
  if (last?.role === 'tool') return { text: `Done: ${/"booked":"([^"]*)"/.exec(last.content ?? '')?.[1]}` };
  const text = askedBy(messages)[1];
  const item = /book (\S+)/.exec(text)?.[1];
  if (item === undefined) return { text: `You said: ${text}` };
  return { tools: [{ name: 'book', arguments: JSON.stringify({ item }) }] };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
