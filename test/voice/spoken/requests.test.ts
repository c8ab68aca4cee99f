import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { ownConnection } from '../../../src/voice/engines/custom-llm/connections.ts';
import type { TranscriptEntry } from '../../../src/voice/engines/custom-llm/frames.ts';
import type { OpenLlmSocket } from '../../../src/voice/engines/custom-llm/socket.ts';
import type { LlmMessage } from '../../../src/voice/llm.ts';
import type { Tools, Turn } from '../../../src/voice/ports.ts';
import { SeededRandom } from '../../../src/voice/simulation/random.ts';
import { type Received, ServerDouble } from '../custom-llm/server-double.ts';
import { type ScriptedEvent, scriptedLlm } from '../simulation/scripted-llm.ts';
import { SpokenCall, type SpokenCallOptions } from './spoken-call.ts';

/** An entry of a request, in the words of the transcript. */
interface Entry {
  readonly role: Turn['role'];
  readonly text: string;
}

/** A request, with the turns that were committed when it was sent. */
interface Request {
  readonly at: number;
  readonly entries: readonly Entry[];
  readonly turns: readonly Turn[];
}

const sentences = [
  'Welcome to the salon. Which day would you like? ',
  'We are open from nine to five, and on Sundays from ten to four. ',
  'Yes. ',
  'You can come at ten, at eleven or at noon, as you like. ',
];
const interruptions = ['Stop!', 'Wait.', 'Really?', 'no wait please', 'what was that?', 'hello'];

describe('Every request for a reply contains every turn before it, in order', () => {
  it('that of a model, with tools', () => {
    const all = collect(25, (random, clock, requests) => {
      const turns = () => requests.call?.turns ?? [];
      const llm = scriptedLlm(clock, ({ messages }) => {
        // The rounds after a tool go on with the request before.
        if (messages.at(-1)?.role !== 'tool') requests.add(messages.flatMap(ofMessage), turns());
        const isAfterTool = messages.at(-1)?.role === 'tool';
        const tool = { after: random.integer(0, 200), tool: 'look_up', arguments: '{}' };
        return [...textOf(random), ...(!isAfterTool && random.chance(0.4) ? [tool] : [])];
      });
      const tool = { name: 'look_up', description: 'Looks it up.', parameters: { type: 'object' }, say: 'Let me see.' };
      const agentSettings = { tools: [{ ...tool, url: 'https://example.com/' }] };
      const responseEngine = { type: 'single_prompt', model: 'gpt', prompt: 'Help.' } as const;
      return {
        fields: { responseEngine, agentSettings },
        options: { engine: { llm }, parts: { tools: later(random, clock) } },
      };
    });
    assert.ok(all.some(({ entries }) => entries.some(({ role }) => role === 'tool')));
  });

  it('that of a custom LLM, which also runs tools, speaks unasked and loses its connection', () => {
    const all = collect(25, (random, clock, requests) => {
      const server = new ServerDouble(clock, { connected, received: (frame) => answer(server, random, frame) });
      const customLlm = {
        connections: ownConnection({
          open: watched(server.open, (entries) => requests.add(entries, requests.call?.turns ?? [])),
          clock,
          time: () => clock.now(),
        }),
        call: { call_id: 'call_1', call_type: 'web_call' as const },
      };
      const responseEngine = { type: 'custom_llm', llmWebsocketUrl: 'wss://llm.example.com/agent' } as const;
      return { fields: { responseEngine }, options: { engine: { customLlm } } };
    });
    assert.ok(all.some(({ entries }) => entries.some(({ role }) => role === 'tool')));
  });
});

interface Setup {
  readonly fields: ConstructorParameters<typeof SpokenCall>[0];
  readonly options: SpokenCallOptions;
}

class Requests {
  readonly all: Request[] = [];
  call: SpokenCall | undefined;
  private readonly clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  add(entries: readonly Entry[], turns: readonly Turn[]): void {
    this.all.push({ at: this.clock.now(), entries, turns: turns.filter((turn) => turn !== undefined) });
  }
}

/** Random calls in which the caller often interrupts, and everything that was requested in them. */
function collect(
  seeds: number,
  setUp: (random: SeededRandom, clock: VirtualClock, requests: Requests) => Setup,
): readonly Request[] {
  const all: Request[] = [];
  let interrupted = 0;
  for (let seed = 0; seed < seeds; seed += 1) {
    const random = new SeededRandom(seed);
    const clock = new VirtualClock();
    const requests = new Requests(clock);
    const { fields, options } = setUp(random, clock, requests);
    const settings = { beginMessage: 'Hello, this is the salon. How can I help you?', responsiveness: 1 };
    const call = new SpokenCall({ ...settings, interruptionSensitivity: 1, ...fields }, { ...options, clock });
    requests.call = call;
    converse(call, random);
    for (const request of requests.all) assertComplete(request, `seed ${seed}`);
    assertNothingStoppedLater(call, requests.all, `seed ${seed}`);
    interrupted += call.turns.filter((turn) => turn?.interrupted).length;
    all.push(...requests.all);
  }
  assert.ok(interrupted > seeds, 'the agent is interrupted often');
  return all;
}

function converse(call: SpokenCall, random: SeededRandom): void {
  const { clock, player } = call;
  const delayMs = random.pick([0, 40, 150, 400]);
  const lostShare = random.pick([0, 0.2, 0.6]);
  player.onReport = (utterance, samples) => {
    if (random.chance(lostShare)) return;
    clock.after(delayMs, () => call.session.played(utterance, samples));
  };
  for (let step = 0; step < 15 && call.end === null; step += 1) {
    const kind = random.integer(0, 9);
    if (kind === 0) call.session.text('a typed message');
    else if (kind === 1) call.session.say('A note from the service.', random.chance(0.5));
    else if (kind === 2) {
      player.drop();
      call.session.detach();
      clock.advance(random.integer(0, 5000));
      call.resume();
    } else if (kind === 3) call.speak([''], random.integer(1, 40));
    else call.speak(random.pick(interruptions), random.integer(6, 12));
    call.wait(20 * random.integer(5, 120));
  }
  call.wait(5000);
}

/** In the order of the transcript; one entry may have the words of several turns of the caller. */
function assertComplete({ at, entries, turns }: Request, about: string): void {
  let [index, offset] = [0, 0];
  for (const turn of turns) {
    if (turn.role === 'tool' && turn.toolCall?.result === null) continue;
    const text = turn.role === 'tool' ? (turn.toolCall?.id ?? '') : turn.text;
    for (;;) {
      const entry = entries[index];
      const where = `${about}, at ${at}: ${JSON.stringify(entries)}`;
      assert.ok(entry !== undefined, `${turn.role} ${JSON.stringify(text)} (turn ${turn.index}) is not in ${where}`);
      const found = entry.role === turn.role ? entry.text.indexOf(text, offset) : -1;
      offset = found === -1 ? 0 : found + text.length;
      if (found !== -1) break;
      index += 1;
    }
  }
}

/** What was stopped before a request is in it, and not committed afterwards. */
function assertNothingStoppedLater(call: SpokenCall, requests: readonly Request[], about: string): void {
  const stoppedAt = new Map<number, number>();
  for (const { commands, at } of call.steps) {
    for (const command of commands) {
      if (command.type === 'clear') stoppedAt.set(command.utterance, at);
      if (command.type !== 'commit' || command.role !== 'agent') continue;
      const stopped = stoppedAt.get(command.utterance) ?? at;
      const early = requests.find((request) => stopped < request.at && request.at < at);
      assert.equal(early, undefined, `${about}: ${command.text} was stopped at ${stopped} and committed at ${at}`);
    }
  }
}

function textOf(random: SeededRandom): ScriptedEvent[] {
  return Array.from({ length: random.integer(1, 3) }, () => ({
    after: random.integer(10, 300),
    text: random.pick(sentences),
  }));
}

function later(random: SeededRandom, clock: VirtualClock): Tools {
  return {
    run: (_id, _call, onResult) =>
      void clock.after(random.integer(0, 4000), () => onResult({ isError: false, result: { seat: 12 } })),
  };
}

function ofMessage(message: LlmMessage): Entry[] {
  if (message.role === 'user') return [{ role: 'caller', text: message.content }];
  if (message.role === 'tool') return [{ role: 'tool', text: message.toolCallId }];
  return message.role === 'assistant' && message.content !== '' ? [{ role: 'agent', text: message.content }] : [];
}

function ofEntry(entry: TranscriptEntry): Entry[] {
  if (entry.role === 'tool_call_result') return [{ role: 'tool', text: entry.tool_call_id }];
  if (entry.role === 'tool_call_invocation') return [];
  return [{ role: entry.role === 'user' ? 'caller' : 'agent', text: entry.content }];
}

/** Sees what is sent at the time when it is sent. */
function watched(open: OpenLlmSocket, onRequest: (entries: readonly Entry[]) => void): OpenLlmSocket {
  return (events) =>
    open({
      ...events,
      opened: (socket) =>
        events.opened({
          ...socket,
          send: (text) => {
            const frame = JSON.parse(text) as Received;
            // Without the tools, before the server has asked for them.
            const entries: readonly TranscriptEntry[] = frame.transcript_with_tool_calls ?? frame.transcript ?? [];
            if (frame.interaction_type === 'response_required') onRequest(entries.flatMap(ofEntry));
            socket.send(text);
          },
        }),
    });
}

function connected(server: ServerDouble): void {
  server.send({ response_type: 'config', config: { auto_reconnect: true, transcript_with_tool_calls: true } });
}

let toolCalls = 0;

function answer(server: ServerDouble, random: SeededRandom, frame: Received): void {
  const { clock } = server;
  const { interaction_type: type, response_id: id } = frame;
  if (type === 'ping_pong') server.send({ response_type: 'ping_pong', timestamp: frame.timestamp });
  if (type === 'reminder_required') server.respond(id, 'Still there?');
  if (type !== 'response_required') return;
  if (random.chance(0.1)) {
    server.leave(1006, random.integer(0, 3000));
    return;
  }
  if (random.chance(0.3)) {
    const tool_call_id = `srv_${++toolCalls}`;
    server.send({ response_type: 'tool_call_invocation', tool_call_id, name: 'find', arguments: '{}' });
    clock.after(random.integer(0, 2000), () =>
      server.send({ response_type: 'tool_call_result', tool_call_id, content: 'found' }),
    );
  }
  if (random.chance(0.1)) {
    server.send({
      response_type: 'agent_interrupt',
      interrupt_id: id,
      content: 'One more thing. ',
      content_complete: true,
    });
  }
  clock.after(random.integer(0, 600), () => server.respond(id, random.pick(sentences) + random.pick(sentences)));
}
