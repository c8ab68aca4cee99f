import { type State, states, type TimerName, type TurnEvent } from '../src/voice/turn/events.ts';
import { MachineDriver } from '../test/voice/turn/machine-driver.ts';

/** How to bring a machine into each state. */
const entries: Readonly<Record<Exclude<State, 'ended'>, () => MachineDriver>> = {
  opening: () => new MachineDriver({ opening: { kind: 'text', text: 'Hello.', delayMs: 1000 } }),
  idle: () => new MachineDriver(),
  caller: () => speaking(new MachineDriver(), 'table for'),
  endpoint: () => new MachineDriver().say('table for two'),
  thinking: () => new MachineDriver().say('table for two').wait(1000),
  agent: () => new MachineDriver().converse('table for two', 'When would you like to come?'),
  overlap: () => speaking(entries.agent()),
  paused: () => entries.overlap().wait(250),
  lost: () => new MachineDriver().send({ type: 'transport.lost' }),
  transferring: () => new MachineDriver().send({ type: 'transfer.request', by: 'tool' }),
  closing: () => new MachineDriver().converse('that is all', 'Goodbye then.', { endCall: true }),
};

function speaking(call: MachineDriver, words?: string): MachineDriver {
  call.send({ type: 'vad.start', since: call.now });
  return words === undefined ? call : call.wait(500).send({ type: 'stt.partial', text: words });
}

interface Row {
  readonly title: string;
  readonly event: (call: MachineDriver) => TurnEvent;
}

const rows: readonly Row[] = [
  { title: 'sound starts', event: ({ now }) => ({ type: 'vad.start', since: now }) },
  { title: 'sound ends', event: ({ now }) => ({ type: 'vad.end', since: now }) },
  { title: 'words', event: () => ({ type: 'stt.partial', text: 'no wait a moment' }) },
  { title: 'an acknowledgment', event: () => ({ type: 'stt.partial', text: 'yeah' }) },
  { title: 'a typed message', event: () => ({ type: 'text', text: 'for three' }) },
  {
    title: 'text of the reply',
    event: ({ turn }) => ({ type: 'reply.text', turn, text: 'When?', isUninterruptible: false }),
  },
  { title: 'end of the reply', event: ({ turn }) => ({ type: 'reply.end', turn, endCall: false, isFinal: false }) },
  { title: 'the reply failed', event: ({ turn }) => ({ type: 'reply.failed', turn }) },
  { title: 'a tool starts', event: ({ turn }) => ({ type: 'tool.start', turn, say: '' }) },
  { title: 'first sample played', event: (call) => ({ type: 'play.start', utterance: saidBy(call) }) },
  { title: 'speech played', event: ({ utterance }) => ({ type: 'play.done', utterance }) },
  { title: 'no voice', event: (call) => ({ type: 'tts.failed', utterance: saidBy(call) }) },
  { title: 'no recognizer', event: () => ({ type: 'stt.failed' }) },
  { title: '`say` of the API', event: () => ({ type: 'say', text: 'One more thing.', isInterrupting: false }) },
  { title: '`mute_agent`', event: () => ({ type: 'mute', isOn: true }) },
  { title: '`respond`', event: () => ({ type: 'respond' }) },
  { title: 'a transfer is requested', event: () => ({ type: 'transfer.request', by: 'tool' }) },
  { title: 'the transfer failed', event: () => ({ type: 'transfer.failed' }) },
  { title: 'digits', event: () => ({ type: 'dtmf', digits: '1' }) },
  { title: 'transport lost', event: () => ({ type: 'transport.lost' }) },
  { title: 'transport resumed', event: () => ({ type: 'transport.resumed' }) },
  { title: 'hang-up', event: () => ({ type: 'hangup' }) },
];

/** The utterance; while the agent thinks, that of a reply which nobody has heard yet. */
function saidBy(call: MachineDriver): number {
  if (call.state === 'thinking') call.reply('When?');
  return call.utterance;
}

const shown = states.filter((state): state is keyof typeof entries => state !== 'ended');

/** The next state, with what is commanded; a dot if nothing happens. */
function outcome(
  state: keyof typeof entries,
  event: (call: MachineDriver) => TurnEvent,
): { next: State; cell: string } {
  const call = entries[state]();
  if (call.state !== state) throw new Error(`this does not lead to ${state} but to ${call.state}`);
  const given = event(call);
  call.forget().send(given);
  const commands = call.log.flatMap(({ type }) => (type.startsWith('timer.') || type === 'emit' ? [] : [type]));
  const list = [...new Set(commands)].map((name) => `\`${name}\``).join(' ');
  const next = call.state === state ? '' : `**${call.state}**`;
  const isIgnored = call.state === state && call.log.length === 0;
  return {
    next: call.state,
    cell: isIgnored ? '·' : [next, list].filter((text) => text !== '').join('<br>') || 'noted',
  };
}

/** Timers that can be set in a state, found by waiting. */
function timersIn(state: keyof typeof entries): { name: TimerName; next: State }[] {
  const call = entries[state]();
  return call.pendingTimers.map((name) => {
    const fired = entries[state]();
    fired.now = Math.max(fired.now, fired.deadlineOf(name));
    fired.fire(name);
    return { name, next: fired.state };
  });
}

export function turnTable(): string {
  const head = `| event | ${shown.join(' | ')} |\n|${'---|'.repeat(shown.length + 1)}`;
  const lines = rows.map(
    ({ title, event }) => `| ${title} | ${shown.map((state) => outcome(state, event).cell).join(' | ')} |`,
  );
  const timers = shown.map((state) =>
    timersIn(state)
      .map(({ name, next }) => (next === state ? name : `${name} → **${next}**`))
      .join('<br>'),
  );
  return `${head}\n${lines.join('\n')}\n| *timers* | ${timers.join(' | ')} |\n`;
}

/** The same transitions as a diagram. Hang-ups, failures and lost transports lead from everywhere, so they are left out. */
export function turnDiagram(): string {
  const hidden = new Set([
    'hang-up',
    'no voice',
    'no recognizer',
    'transport lost',
    '`mute_agent`',
    'a typed message',
    '`respond`',
    '`say` of the API',
    'a transfer is requested',
  ]);
  const arrows = new Map<string, string[]>();
  const add = (from: State, to: State, label: string) => {
    if (from === to) return;
    const key = `${from} --> ${to}`;
    arrows.set(key, [...(arrows.get(key) ?? []), label]);
  };
  for (const state of shown) {
    for (const { title, event } of rows) if (!hidden.has(title)) add(state, outcome(state, event).next, title);
    for (const { name, next } of timersIn(state)) if (name !== 'max') add(state, next, `timer ${name}`);
  }
  const lines = [...arrows].map(([key, labels]) => `  ${key}: ${[...new Set(labels)].join(', ')}`);
  return `\`\`\`mermaid\nstateDiagram-v2\n  [*] --> opening\n${lines.join('\n')}\n  ended --> [*]\n\`\`\`\n`;
}

/** Replaces what is between the markers of a document. */
export function withTurnTable(document: string): string {
  return replaced(replaced(document, 'table', turnTable()), 'diagram', turnDiagram());
}

function replaced(document: string, name: string, content: string): string {
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`];
  const from = document.indexOf(start);
  const until = document.indexOf(end);
  if (from === -1 || until === -1) throw new Error(`docs/voice.md has no place for the ${name}`);
  return `${document.slice(0, from + start.length)}\n\n${content}\n${document.slice(until)}`;
}
