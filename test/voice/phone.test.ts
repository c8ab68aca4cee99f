import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentWith } from '../../campaigns/voice/random-agent.ts';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { VirtualClock } from '../../src/voice/clock.ts';
import { transfersOf } from '../../src/voice/engines/agent-parts.ts';
import type { EngineFacts } from '../../src/voice/engines/create.ts';
import type { PhoneActions, TransferResult, TransferTarget, Turn } from '../../src/voice/ports.ts';
import type { SpokenSessionParts } from '../../src/voice/spoken/spoken-session-parts.ts';
import { type ScriptedEvent, scriptedLlm } from './simulation/scripted-llm.ts';
import { echo, SpokenCall, type SpokenCallOptions } from './spoken/spoken-call.ts';

const desk = { name: 'desk', description: 'The front desk.', to: '+81312345678' };
const sales = { ...desk, name: 'sales', to: '+81312345679', mode: 'warm', ringTimeoutMs: 30_000 } as const;
const phone = { transfers: [desk, sales] };

/** A phone line whose transfers end as the test says. */
class ScriptedPhone implements PhoneActions {
  readonly transfers: readonly TransferTarget[];
  readonly keys: string[] = [];
  readonly dialed: TransferTarget[] = [];
  readonly optOuts: string[] = [];
  tones = 0;
  end: (result: TransferResult) => void = () => {};

  constructor(agent: Agent) {
    this.transfers = transfersOf(agent);
  }

  pressKeys(digits: string): boolean {
    this.keys.push(digits);
    return digits !== '9';
  }

  play(): void {
    this.tones += 1;
  }

  transfer(target: TransferTarget, onResult: (result: TransferResult) => void): void {
    this.dialed.push(target);
    this.end = onResult;
  }

  doNotCallAgain(onResult: (failure: string | null) => void): void {
    this.optOuts.push('called');
    onResult(null);
  }
}

interface PhoneCallOptions {
  readonly agent?: Partial<Agent>;
  readonly engine?: SpokenCallOptions['engine'];
  readonly parts?: Partial<SpokenSessionParts>;
  readonly clock?: VirtualClock;
}

function phoneCall({ agent = {}, engine = {}, parts = {}, clock = new VirtualClock() }: PhoneCallOptions = {}) {
  const fields = { agentSettings: { phone }, ...agent };
  const line = new ScriptedPhone(agentWith(fields));
  const call = new SpokenCall(fields, {
    clock,
    engine: { ...engine, isPhone: true },
    parts: { phone: line, ...parts },
  });
  return { call, line };
}

/** A model that calls a tool in its first reply, and repeats the result in the second. */
function modelThat(calls: readonly { readonly tool: string; readonly arguments: object }[], text = 'One moment.') {
  const clock = new VirtualClock();
  const llm = scriptedLlm(clock, ({ messages }): ScriptedEvent[] => {
    const last = messages.findLast(({ role }) => role === 'tool');
    if (last !== undefined) return [{ after: 20, text: `The result is ${last.content}.` }];
    return [
      { after: 20, text },
      ...calls.map(({ tool, arguments: given }) => ({ after: 5, tool, arguments: JSON.stringify(given) })),
    ];
  });
  return { clock, llm };
}

const prompted = { responseEngine: { type: 'single_prompt', model: 'some-model', prompt: 'Help.' } } as const;

function askedFor(tool: string, given: object, options: PhoneCallOptions = {}) {
  const { clock, llm } = modelThat([{ tool, arguments: given }]);
  const { agent, ...others } = options;
  const { call, line } = phoneCall({ clock, engine: { llm }, agent: { ...prompted, ...agent }, ...others });
  call.speak('hello there').until(() => call.turns.some((turn) => turn?.role === 'tool'));
  return { call, line, llm };
}

const toolTurns = (turns: readonly Turn[]) => turns.flatMap(({ toolCall }) => (toolCall === null ? [] : [toolCall]));
const transfersIn = (call: SpokenCall) =>
  call.eventsOf('transfer_updated').map(({ name, mode, status, reason }) => [name, mode, status, reason]);

describe('The tools of a phone call', () => {
  it('are offered where they work', () => {
    const offered = (agent: Partial<Agent>, engine: Partial<EngineFacts> = {}) => {
      const { clock, llm } = modelThat([]);
      const call = new SpokenCall({ ...prompted, ...agent }, { clock, engine: { llm, ...engine } });
      call.speak('hello').until(() => llm.requests.length > 0);
      return llm.requests[0]?.tools.map(({ name }) => name);
    };
    const all = ['transfer_call', 'press_keys', 'do_not_call_again', 'end_call', 'wait'];
    assert.deepEqual(offered({ agentSettings: { phone } }, { isPhone: true }), all);
    assert.deepEqual(offered({}, { isPhone: true }), ['press_keys', 'do_not_call_again', 'end_call', 'wait']);
    const without = { agentSettings: { phone: { optOut: false } } };
    assert.deepEqual(offered(without, { isPhone: true }), ['press_keys', 'end_call', 'wait']);
    assert.deepEqual(offered({ agentSettings: { phone } }), ['end_call', 'wait']);
  });

  it('press keys, which are a tool turn and an event', () => {
    const { call, line } = askedFor('press_keys', { digits: '1w2' });
    call.untilState('idle');
    assert.deepEqual(line.keys, ['1w2']);
    assert.deepEqual(
      call.eventsOf('dtmf_sent').map(({ digits }) => digits),
      ['1w2'],
    );
    assert.deepEqual(
      toolTurns(call.turns).map(({ name, arguments: given, result }) => [name, given, result]),
      [['press_keys', { digits: '1w2' }, { pressed: true }]],
    );
    assert.equal(call.turns.at(-1)?.text.includes('The result is {"pressed":true}.'), true);
  });

  it('say so if the keys cannot be pressed', () => {
    const { call } = askedFor('press_keys', { digits: '9' });
    call.untilState('idle');
    assert.deepEqual(call.eventsOf('dtmf_sent'), []);
    assert.deepEqual(
      toolTurns(call.turns).map(({ isError }) => isError),
      [true],
    );
  });

  it('put a number on the do-not-call list', () => {
    const { call, line } = askedFor('do_not_call_again', {});
    call.untilState('idle');
    assert.deepEqual(line.optOuts, ['called']);
    assert.deepEqual(
      toolTurns(call.turns).map(({ result }) => result),
      [{ added: true }],
    );
  });
});

describe('A transfer', () => {
  it('begins after the sentence of the agent, and ends the call if somebody answers', () => {
    const { call, line } = askedFor('transfer_call', { name: 'desk' });
    assert.deepEqual(line.dialed, []);
    call.untilState('transferring');
    assert.deepEqual(
      call.turns.filter(({ role }) => role === 'agent').map(({ text }) => text),
      ['One moment.'],
    );
    assert.deepEqual(
      line.dialed.map(({ name, to, mode, ringTimeoutMs }) => [name, to, mode, ringTimeoutMs]),
      [['desk', desk.to, 'cold', 25_000]],
    );
    line.end({ transferred: true });
    assert.equal(call.end?.reason, 'transferred');
    assert.deepEqual(
      toolTurns(call.turns).map(({ result }) => result),
      [{ transferred: true }],
    );
    assert.deepEqual(transfersIn(call), [
      ['desk', 'cold', 'started', null],
      ['desk', 'cold', 'completed', null],
    ]);
    assert.equal(line.tones, 0);
  });

  it('returns its reason to the model if it fails, and the call goes on', () => {
    for (const reason of ['busy', 'no_answer', 'declined', 'not_allowed']) {
      const { call, line } = askedFor('transfer_call', { name: 'desk' });
      call.untilState('transferring').wait(5000);
      line.end({ transferred: false, reason });
      call.untilState('idle');
      assert.deepEqual(
        toolTurns(call.turns).map(({ result, isError }) => [result, isError]),
        [[{ transferred: false, reason }, false]],
      );
      assert.match(call.turns.at(-1)?.text ?? '', new RegExp(`"transferred":false,"reason":"${reason}"`));
      assert.deepEqual(transfersIn(call).at(-1), ['desk', 'cold', 'failed', reason]);
      call.speak('thank you').untilState('agent');
    }
  });

  it('lets the caller wait with a tone every 5 s, and hears nothing of them, if it is warm', () => {
    const { call, line } = askedFor('transfer_call', { name: 'sales' });
    call.untilState('transferring').speak('is somebody there').wait(11_000);
    assert.deepEqual([line.tones, call.session.state], [3, 'transferring']);
    assert.equal(
      call.turns.some(({ role, text }) => role === 'caller' && text.includes('somebody')),
      false,
    );
    line.end({ transferred: false, reason: 'declined' });
    call.wait(6000);
    assert.equal(line.tones, 3);
    call.untilState('idle').speak('okay bye now').untilState('agent');
  });

  it('counts as failed if its end is never reported', () => {
    const { call, line } = askedFor('transfer_call', { name: 'sales' });
    call.untilState('transferring').wait(89_000);
    assert.equal(call.session.state, 'transferring');
    call.wait(1100);
    assert.deepEqual(transfersIn(call).at(-1), ['sales', 'warm', 'failed', 'timeout']);
    // What the carrier reports later is ignored.
    line.end({ transferred: true });
    assert.equal(call.end, null);
  });

  it('goes on while the connection is gone, and after it is back', () => {
    const { call, line } = askedFor('transfer_call', { name: 'desk' });
    call.untilState('transferring');
    call.session.detach();
    call.clock.advance(40_000);
    assert.equal(call.end, null);
    line.end({ transferred: false, reason: 'no_answer' });
    call.clock.advance(5000);
    call.resume().untilState('idle');
    assert.match(call.turns.at(-1)?.text ?? '', /no_answer/);
  });

  it('a model that asks for a number dials nothing', () => {
    for (const given of [{ name: '+81312345678' }, { to: '+81312345678' }, { name: 'desk', to: '+819012345678' }, {}]) {
      const { clock, llm } = modelThat([{ tool: 'transfer_call', arguments: given }]);
      const { call, line } = phoneCall({ clock, engine: { llm }, agent: prompted });
      call.speak('dial it').wait(3000).untilState('idle');
      assert.deepEqual(line.dialed, []);
      assert.deepEqual(transfersIn(call), []);
    }
  });

  it('is not available without a phone line', () => {
    const { clock, llm } = modelThat([{ tool: 'transfer_call', arguments: { name: 'desk' } }]);
    const flow = {
      responseEngine: { type: 'conversation_flow' },
      agentSettings: {
        phone,
        flow: {
          skills: [
            { id: 'go', type: 'transfer', transfer: 'desk', otherwise: 'sorry' },
            { id: 'sorry', type: 'end', text: 'Not here.' },
          ],
        },
      },
    } as const;
    const call = new SpokenCall({ ...flow, beginMessage: null }, { clock, engine: { llm } });
    call.until(() => call.end !== null);
    const [turn] = toolTurns(call.turns);
    assert.deepEqual([turn?.name, turn?.isError], ['transfer_call', true]);
    assert.equal(call.turns.at(-1)?.text, 'Not here.');
  });

  it('is not repeated in another process', () => {
    const { clock, llm } = modelThat([]);
    const toolCall = { id: 'tcl_9', name: 'transfer_call', arguments: { name: 'desk' }, result: null };
    const lost = { ...turnOf('tool', 1), toolCall: { ...toolCall, isError: false, isExample: false, durationMs: 0 } };
    const unfinished = {
      isOpening: false,
      words: 'a person',
      unsaid: [],
      endsAfterSpeech: 'no',
      idleTimers: [],
    } as const;
    const { call, line } = phoneCall({
      clock,
      engine: { llm },
      agent: prompted,
      parts: { resumed: unfinished, resumedTurns: [lost], firstTurn: 2 },
    });
    call.wait(3000).untilState('idle');
    assert.deepEqual(line.dialed, []);
    assert.match(call.turns.at(-1)?.text ?? '', /outcome is not known/);
  });
});

describe('The API', () => {
  const target = { ...transfersOf(agentWith({ agentSettings: { phone } }))[0], name: null } as TransferTarget;

  it('transfers a call to a number, even while the caller speaks', () => {
    const { call, line } = phoneCall({ agent: echo });
    call.speak('so what I wanted to say is').wait(600);
    call.session.transfer(target);
    assert.equal(call.session.state, 'transferring');
    line.end({ transferred: true });
    assert.equal(call.end?.reason, 'transferred');
    assert.deepEqual(transfersIn(call)[0], [null, 'cold', 'started', null]);
  });

  it('has the agent take the next turn if that fails', () => {
    const { call, line } = phoneCall({ agent: { ...echo, reminderTriggerMs: 600_000 } });
    call.session.transfer(target);
    call.session.transfer(target);
    assert.equal(line.dialed.length, 1);
    line.end({ transferred: false, reason: 'busy' });
    assert.equal(call.commandTimes('reply.request').length, 1);
  });

  it('presses keys', () => {
    const { call, line } = phoneCall({ agent: echo });
    assert.equal(call.session.pressKeys('12'), true);
    assert.deepEqual(line.keys, ['12']);
    assert.deepEqual(
      call.eventsOf('dtmf_sent').map(({ digits }) => digits),
      ['12'],
    );
    const web = new SpokenCall(echo);
    assert.equal(web.session.pressKeys('12'), false);
    assert.deepEqual(web.eventsOf('dtmf_sent'), []);
  });
});

function turnOf(role: Turn['role'], index: number): Turn {
  const nothing = { source: null, text: '', unspokenText: null, words: [], interrupted: false, latency: null } as const;
  return { ...nothing, role, index, startMs: 0, endMs: 0, sources: [], toolCall: null };
}
