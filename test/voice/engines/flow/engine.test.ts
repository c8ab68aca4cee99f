import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flowSchema } from '../../../../src/contract/agents/settings/flow.ts';
import type { ReplyKind, ReplyOutput } from '../../../../src/voice/engines/engine.ts';
import { compileFlow } from '../../../../src/voice/engines/flow/compile.ts';
import { createFlowEngine, type FlowEngineOptions } from '../../../../src/voice/engines/flow/engine.ts';
import type { FlowModel, FlowModelOutput, FlowModelRequest } from '../../../../src/voice/engines/flow/model.ts';
import type { ToolResult } from '../../../../src/voice/tools/tool.ts';
import { now, PhoneCall } from './phone-call.ts';
import { salonFlow } from './salon-flow.ts';

/** A reply that is observed step by step. */
class Reply implements ReplyOutput {
  readonly said: string[] = [];
  readonly running: ((result: ToolResult) => void)[] = [];
  hasEnded = false;
  failure: string | undefined;
  text(text: string): void {
    this.said.push(text);
  }
  tool(_call: unknown, onResult: (result: ToolResult) => void): void {
    this.running.push(onResult);
  }
  end(): void {
    this.hasEnded = true;
  }
  failed(detail: string): void {
    this.failure = detail;
  }
  warn(): void {}
  knowledge(): void {}
  switched(): void {}
}

function engineOf(flow: unknown, options: Partial<FlowEngineOptions> = {}) {
  const compiled = compileFlow(flowSchema.parse(flow), { language: 'ja' });
  const engine = createFlowEngine({ flow: compiled, beginMessage: null, now: () => now, ...options });
  let turn = 0;
  const request = (kind: ReplyKind, words = '') => {
    const reply = new Reply();
    turn += 1;
    const number = turn;
    const cancel = engine.reply({ turn: number, kind, words }, reply);
    return { reply, cancel, accept: () => engine.accept(number) };
  };
  return { engine, request };
}

const done: ToolResult = { isError: false, result: { variables: { number: 7 } } };

describe('a request', () => {
  it('changes nothing until it is accepted, so that it can be repeated with more words', () => {
    const { engine, request } = engineOf(salonFlow);
    request('begin').accept();
    request('response', '予約を').cancel();
    const repeated = request('response', '予約をキャンセルしたい');
    assert.deepEqual(repeated.reply.said, ['お電話番号をお願いします。']);
    assert.equal(JSON.parse(JSON.stringify(engine.state())).flow.skill, 'greet');
    repeated.accept();
    assert.equal(JSON.parse(JSON.stringify(engine.state())).flow.skill, 'change');
  });

  it('that was canceled can no longer be accepted', () => {
    const { engine, request } = engineOf(salonFlow);
    request('begin').accept();
    const before = engine.state();
    const { cancel, accept } = request('response', '予約');
    cancel();
    accept();
    assert.deepEqual(engine.state(), before);
  });

  it('continues from a state that was stored as JSON', () => {
    const first = engineOf(salonFlow);
    first.request('begin').accept();
    first.request('response', '予約').accept();
    first.request('response', '12月24日').accept();
    first.engine.setVariables({ shop: '銀座' });
    const state = JSON.parse(JSON.stringify(first.engine.state()));
    const second = engineOf(salonFlow, { state });
    assert.deepEqual(second.engine.collected(), { day: '2026-12-24', shop: '銀座' });
    assert.deepEqual(second.request('response', '15時').reply.said, ['12月24日の午後3時でよろしいですか。']);
    assert.deepEqual(second.engine.state(), state);
  });
});

describe('a tool that has started', () => {
  function booking() {
    const call = engineOf(salonFlow);
    call.request('begin').accept();
    for (const words of ['予約', '12月24日', '15時']) call.request('response', words).accept();
    return { ...call, booked: call.request('response', 'はい') };
  }

  it('continues the reply with its result', () => {
    const { engine, booked } = booking();
    assert.deepEqual([booked.reply.said, booked.reply.hasEnded], [[], false]);
    booked.reply.running[0]?.(done);
    assert.deepEqual(booked.reply.said, ['承りました。お待ちしております。']);
    assert.equal(engine.collected().number, 7);
  });

  it('runs to its end although the reply is canceled, and the next reply continues after it', () => {
    const { engine, request, booked } = booking();
    booked.cancel();
    booked.reply.running[0]?.(done);
    assert.deepEqual(booked.reply.said, []);
    assert.equal(engine.collected().number, 7);
    assert.deepEqual(request('response', 'もしもし').reply.said, ['承りました。お待ちしております。']);
  });

  it('is waited for by a reply that is requested meanwhile', () => {
    const { engine, request, booked } = booking();
    booked.cancel();
    const dropped = request('response', 'あの');
    dropped.cancel();
    const next = request('response', 'あの、もしもし');
    next.accept();
    assert.deepEqual(next.reply.said, []);
    booked.reply.running[0]?.(done);
    assert.deepEqual(next.reply.said, ['承りました。お待ちしております。']);
    assert.deepEqual(dropped.reply.said, []);
    assert.equal((engine.state() as { flow: { phase: string } }).flow.phase, 'ended');
  });

  it('counts as failed in a call that continues elsewhere without its result', () => {
    const { engine } = booking();
    const elsewhere = engineOf(salonFlow, { state: engine.state() });
    assert.deepEqual(elsewhere.request('response', 'もしもし').reply.said, ['担当者から折り返しお電話いたします。']);
  });
});

const end = { id: 'bye', type: 'end', text: 'さようなら。' };
const prompted = {
  skills: [
    {
      id: 'talk',
      type: 'prompt',
      prompt: '{{shop}}の受付です。',
      routes: [{ name: 'leave', description: 'The caller wants to leave.', next: 'bye' }],
      maxTurns: 2,
      next: 'bye',
    },
    end,
  ],
};

class ScriptedModel implements FlowModel {
  readonly requests: FlowModelRequest[] = [];
  readonly outputs: FlowModelOutput[] = [];
  canceled = 0;
  choice: number | undefined;
  reply(request: FlowModelRequest, output: FlowModelOutput): () => void {
    this.requests.push(request);
    this.outputs.push(output);
    return () => {
      this.canceled += 1;
    };
  }
  choose(_request: unknown, onChoice: (route: number | undefined) => void): () => void {
    onChoice(this.choice);
    return () => {};
  }
}

describe('a prompt', () => {
  it('without a model says what it heard, and never pretends', () => {
    const call = new PhoneCall(prompted, { agentVariables: { shop: '銀座店' } });
    assert.equal(call.open(), '言語モデルはまだ接続されていません。お話しになった内容を繰り返します。');
    assert.equal(call.remind(), 'もしもし、聞こえていますか。');
    assert.equal(
      call.say('こんにちは'),
      '「こんにちは」と聞こえました。言語モデルはまだ接続されていません。さようなら。',
    );
    const english = new PhoneCall(prompted, { language: 'en', beginMessage: 'Hello.' });
    assert.equal(english.open(), 'Hello.');
    assert.equal(english.say('Hi'), 'I heard: "Hi". No language model is connected yet.');
  });

  it('is led by the model, which may move on by a route', () => {
    const model = new ScriptedModel();
    const { request, engine } = engineOf(prompted, {
      model,
      agentVariables: { shop: '銀座店' },
    });
    const opening = request('begin');
    opening.accept();
    assert.deepEqual(model.requests[0], {
      kind: 'begin',
      prompt: '銀座店の受付です。',
      routes: [{ name: 'leave', description: 'The caller wants to leave.' }],
      words: '',
    });
    model.outputs[0]?.tool({ name: 'find', arguments: {} }, () => {});
    opening.reply.running[0]?.(done);
    assert.equal(engine.collected().number, 7);
    model.outputs[0]?.text('いらっしゃいませ。');
    model.outputs[0]?.end();
    assert.deepEqual([opening.reply.said, opening.reply.hasEnded], [['いらっしゃいませ。'], true]);
    request('response', 'あの').cancel();
    assert.equal(model.canceled, 2);
    model.outputs[1]?.text('late');
    model.outputs[1]?.end();
    const leaving = request('response', 'あの、帰ります');
    assert.equal(model.requests[2]?.words, 'あの、帰ります');
    model.outputs[2]?.end({ route: 'leave' });
    assert.deepEqual(leaving.reply.said, ['さようなら。']);
  });

  it('moves on after its maximum of turns, and reports a failed model', () => {
    const model = new ScriptedModel();
    const { request } = engineOf(prompted, { model });
    const opening = request('begin');
    model.outputs[0]?.end();
    opening.accept();
    const last = request('response', 'はい');
    model.outputs[1]?.text('では。');
    model.outputs[1]?.end();
    assert.deepEqual(last.reply.said, ['では。', 'さようなら。']);
    const failing = request('response', 'はい');
    model.outputs[2]?.failed('503');
    assert.equal(failing.reply.failure, '503');
  });
});

describe('a choice by the model', () => {
  const flow = { skills: salonFlow.skills.map((skill) => (skill.id === 'greet' ? { ...skill, by: 'model' } : skill)) };

  it('takes its route, and the words decide if it cannot tell or there is no model', () => {
    const model = new ScriptedModel();
    const call = new PhoneCall(flow, { model });
    call.open();
    model.choice = 1;
    assert.equal(call.say('都合が悪くなりまして'), 'お電話番号をお願いします。');
    const unsure = new PhoneCall(flow, { model: new ScriptedModel() });
    unsure.open();
    assert.equal(unsure.say('予約です'), 'ご希望の日はいつですか。');
    const alone = new PhoneCall(flow);
    alone.open();
    assert.equal(alone.say('予約です'), 'ご希望の日はいつですか。');
  });
});
