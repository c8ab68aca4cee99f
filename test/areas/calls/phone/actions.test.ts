import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { CallEvent } from '../../../../src/contract/calls/call-events.ts';
import type { Turn } from '../../../../src/contract/calls/turn.ts';
import { startLlmServer } from '../../../providers/custom-llm-double.ts';
import { onEachEngine } from '../../../support/engines.ts';
import { ongoing } from '../live/support.ts';
import { eventually, modelDouble, newChat, on } from '../support.ts';
import {
  answered,
  connected,
  inboundCall,
  offer,
  ourNumber,
  phoneAgent,
  startPhoneService,
  theirNumber,
  usePhoneService,
} from './support.ts';

const desk = { name: 'desk', description: 'The front desk.', to: '+81312345679' };
const sales = { ...desk, name: 'sales', to: '+81312345670', mode: 'warm', brief: 'For {{name}}.', extension: 'w1' };
const phone = { transfers: [desk, sales] };
const flow = {
  skills: [
    { id: 'go', type: 'transfer', transfer: 'sales', text: 'Connecting {{name}}.', otherwise: 'sorry' },
    { id: 'sorry', type: 'say', text: 'Nobody answers.', next: 'ask' },
    { id: 'ask', type: 'ask', text: 'Anything else?', variable: 'rest', as: 'text', next: 'bye', otherwise: 'bye' },
    { id: 'bye', type: 'end', text: 'Goodbye.' },
  ],
};
const transferring = {
  agent: {
    responseEngineType: 'conversation_flow',
    beginMessage: 'Hi.',
    agentVariables: [{ name: 'name', value: 'Ann' }],
    agentSettings: { phone, flow },
  },
};
const dataOf = (events: readonly CallEvent[], type: string) =>
  events.filter((event) => event.type === type).map(({ data }) => data);
const toolsIn = (turns: readonly Turn[]) =>
  turns.flatMap(({ toolCall }) => (toolCall === null ? [] : [[toolCall.name, toolCall.arguments, toolCall.result]]));

onEachEngine('the transfer of a phone call', (engine) => {
  const service = usePhoneService(engine);
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  /** Up to the moment in which somebody is dialed. */
  const begun = async () => {
    service.lines.transfers.length = 0;
    const call = await answered(service, key, transferring);
    await eventually(async () => service.lines.transfers.length === 1);
    assert.deepEqual(call.line.heard.join(' '), 'Hi Connecting Ann');
    const tell = (status: 'completed' | 'failed', reason: string | null = null) =>
      service.phone.tell(call.workspaceId, call.id, { type: 'transfer', status, reason });
    return { ...call, tell };
  };

  it('is dialed with its brief after the sentence, and ends the call', async () => {
    const { tell, ...call } = await begun();
    await eventually(async () => dataOf(await call.events(), 'transfer_updated').length === 1);
    const { to, mode, brief, extension, name, ringTimeoutMs, showCaller } = service.lines.transfers[0] ?? {};
    assert.deepEqual(
      [name, to, mode, brief, extension, ringTimeoutMs, showCaller],
      ['sales', sales.to, 'warm', 'For Ann.', 'w1', 25_000, false],
    );
    await tell('completed');
    await eventually(async () => (await call.call()).status === 'ended');
    assert.equal((await call.call()).endReason, 'transferred');
    assert.deepEqual(toolsIn(await call.turns()), [['transfer_call', { name: 'sales' }, { transferred: true }]]);
    const updates = dataOf(await call.events(), 'transfer_updated');
    assert.deepEqual(updates, [
      { name: 'sales', mode: 'warm', status: 'started', reason: null },
      { name: 'sales', mode: 'warm', status: 'completed', reason: null },
    ]);
  });

  it('that fails goes on as the flow says, with the reason in the transcript', async () => {
    const { tell, line, ...call } = await begun();
    await tell('failed', 'no_answer');
    await line.until(() => line.heard.includes('else'));
    // A report that comes twice changes nothing.
    await tell('failed', 'busy');
    assert.equal((await call.call()).status, 'ongoing');
    line.hangUp();
    await eventually(async () => (await call.call()).status === 'ended');
    assert.deepEqual(toolsIn(await call.turns()), [
      ['transfer_call', { name: 'sales' }, { transferred: false, reason: 'no_answer' }],
    ]);
  });

  it('goes on although its media leaves, and rejoins if it fails', async () => {
    const { tell, line, ...call } = await begun();
    line.hangUp();
    await tell('failed', 'busy');
    assert.equal((await call.call()).status, 'ongoing');
    const back = await connected(service, call);
    await back.until(() => back.heard.includes('Nobody'));
    back.hangUp();
  });

  it('to a number that may not be dialed fails before anybody is called', async () => {
    service.lines.transfers.length = 0;
    service.lines.forbidden = sales.to;
    const { line, ...call } = await answered(service, key, transferring);
    await line.until(() => line.heard.includes('Nobody'));
    service.lines.forbidden = null;
    assert.deepEqual(service.lines.transfers, []);
    line.hangUp();
    await eventually(async () => (await call.call()).status === 'ended');
    assert.deepEqual(toolsIn(await call.turns())[0]?.[2], { transferred: false, reason: 'not_allowed' });
  });
});

onEachEngine('what the API does with the line of a call', (engine) => {
  const service = usePhoneService(engine);
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  it('transfers it to an entry or a number', async () => {
    const { line, ...call } = await answered(service, key, { agent: { agentSettings: { phone } } });
    service.lines.transfers.length = 0;
    assert.equal((await call.control({ action: 'transfer', name: 'desk' })).status, 200);
    await eventually(async () => service.lines.transfers.length === 1);
    const again = await call.control({ action: 'transfer', name: 'desk' });
    assert.deepEqual([again.status, again.json.error.details.reason], [409, 'transfer_in_progress']);
    await service.phone.tell(call.workspaceId, call.id, { type: 'transfer', status: 'failed', reason: 'busy' });
    assert.equal((await call.control({ action: 'transfer', to: '+81312345675', mode: 'warm' })).status, 200);
    await eventually(async () => service.lines.transfers.length === 2);
    const { name, to, mode } = service.lines.transfers[1] ?? {};
    assert.deepEqual([name, to, mode], [null, '+81312345675', 'warm']);
    await service.phone.tell(call.workspaceId, call.id, { type: 'transfer', status: 'completed', reason: null });
    await line.closed();
    assert.equal((await call.call()).endReason, 'transferred');
  });

  it('is refused where it is not possible', async () => {
    const { line, ...call } = await answered(service, key, { agent: { agentSettings: { phone } } });
    service.lines.forbidden = '+81312345671';
    const statuses = async (body: object) => {
      const { status, json } = await call.control({ action: 'transfer', ...body });
      return [status, Object.keys(json.error.details?.fieldErrors ?? {}).join()];
    };
    assert.deepEqual(await statuses({ to: '+81312345671' }), [422, 'to']);
    assert.deepEqual(await statuses({ name: 'nobody' }), [422, 'name']);
    assert.deepEqual(await statuses({ to: '03-1234-5678' }), [400, 'to']);
    assert.deepEqual(await statuses({}), [400, 'name']);
    assert.deepEqual(await statuses({ name: 'desk', to: desk.to }), [400, 'to']);
    assert.deepEqual(await statuses({ name: 'desk', mode: 'warm' }), [400, 'mode']);
    service.lines.forbidden = null;
    line.hangUp();
    const web = await ongoing(service, key, {});
    const chat = on(service, key, (await newChat(service, key)).id);
    await chat.say('Hello');
    for (const other of [web, chat]) {
      for (const body of [
        { action: 'transfer', to: desk.to },
        { action: 'send_dtmf', digits: '1' },
      ]) {
        const { status, json } = await other.control(body);
        assert.deepEqual([status, Object.keys(json.error.details.fieldErrors)], [422, ['action']]);
      }
    }
  });

  it('presses keys, which are stored without what may be a PIN', async () => {
    for (const [setting, kept] of [
      ['everything', ['1', 'w1w234']],
      ['everything_except_pii', ['1', '[DIGITS]']],
      ['basic_attributes_only', [null, null]],
    ] as const) {
      const { line, ...call } = await answered(service, key, { agent: { dataStorageSetting: setting } });
      for (const digits of ['1', 'w1w234']) {
        assert.equal((await call.control({ action: 'send_dtmf', digits })).status, 200);
      }
      assert.equal((await call.control({ action: 'send_dtmf', digits: '1-2' })).status, 400);
      await line.until(() => line.marks.some((name) => name.includes('key')));
      line.hangUp();
      await eventually(async () => (await call.call()).status === 'ended');
      const digits = dataOf(await call.events(), 'dtmf_sent').map((data) => (data as { digits: string | null }).digits);
      assert.deepEqual(digits, kept, setting);
    }
  });
});

onEachEngine('what is known in a phone call', (engine) => {
  const service = usePhoneService(engine);
  let key: string;
  let workspaceId: string;
  before(async () => {
    ({ key, workspaceId } = await service.newKey());
  });

  it('has both numbers and the direction as variables', async () => {
    const agent = { beginMessage: '{{direction}} {{from_number}} {{to_number}}' };
    const { line } = await answered(service, key, { agent });
    const digits = (number: string) => number.slice(1);
    await line.until(() => line.heard.join(' ').includes(digits(theirNumber)));
    assert.match(line.heard.join(' '), new RegExp(`^outbound \\W*${digits(ourNumber)} \\W*${digits(theirNumber)}$`));
    line.hangUp();
    const { id: agentId } = await phoneAgent(service, key, 'test-echo', agent);
    const { call } = await offer(service, inboundCall(workspaceId, agentId));
    const other = await connected(service, { id: call.id, workspaceId });
    await other.until(() => other.heard.join(' ').includes(digits(ourNumber)));
    assert.match(other.heard.join(' '), new RegExp(`^inbound \\W*${digits(theirNumber)} \\W*${digits(ourNumber)}$`));
    other.hangUp();
  });

  it('is told to a custom LLM server, as Retell names it', async () => {
    const server = await startLlmServer({
      connected: (client) => client.send({ response_type: 'config', config: { call_details: true } }),
    });
    const agent = {
      responseEngineType: 'custom_llm',
      responseEngine: { type: 'custom_llm', llmWebsocketUrl: server.url },
      dataStorageSetting: 'everything_except_pii',
    };
    const details = async (callId: string) => {
      const found = () => server.received.find(({ call }) => call?.call_id === callId)?.call;
      await eventually(async () => found() !== undefined);
      const { call_type, direction, from_number, to_number } = found() ?? {};
      return [call_type, direction, from_number, to_number];
    };
    const { line, id } = await answered(service, key, { agent });
    assert.deepEqual(await details(id), ['phone_call', 'outbound', ourNumber, theirNumber]);
    line.hangUp();
    const { id: agentId } = await phoneAgent(service, key, 'test-echo', agent);
    const { call } = await offer(service, inboundCall(workspaceId, agentId, { from: null }));
    const other = await connected(service, { id: call.id, workspaceId });
    assert.deepEqual(await details(call.id), ['phone_call', 'inbound', null, ourNumber]);
    other.hangUp();
  });

  it('is said to be recorded first, if it is', async () => {
    const settings = { phone: { recordingNotice: 'Recorded.' }, calls: { recordingEnabled: true } };
    const agent = { beginMessage: 'Hello.', agentSettings: settings };
    const { line } = await answered(service, key, { agent });
    await line.until(() => line.heard.length >= 2);
    assert.deepEqual(line.heard, ['Recorded', 'Hello']);
    line.hangUp();
    const quiet = await answered(service, key, { agent, call: { recordingEnabled: false } });
    await quiet.line.until(() => quiet.line.heard.length >= 1);
    assert.deepEqual(quiet.line.heard, ['Hello']);
    quiet.line.hangUp();
  });

  it('ends as voicemail if one answers, and only if we have called', async () => {
    const agent = { agentSettings: { phone: { voicemail: {} } } };
    const { line, ...call } = await answered(service, key, { agent });
    await line.say('please', 'leave', 'a').catch(() => {});
    void line.say('message').catch(() => {});
    await eventually(async () => (await call.call()).status === 'ended');
    assert.equal((await call.call()).endReason, 'voicemail');
    assert.deepEqual(dataOf(await call.events(), 'answered_by'), [{ by: 'machine', source: 'audio' }]);
    const { id: agentId } = await phoneAgent(service, key, 'test-echo', agent);
    const offered = await offer(service, inboundCall(workspaceId, agentId));
    const inbound = await connected(service, { id: offered.call.id, workspaceId });
    await inbound.say('please', 'leave', 'a', 'message');
    await inbound.until(() => inbound.heard.includes('message'));
    inbound.hangUp();
  });

  it('is what the carrier reports', async () => {
    const agent = { agentSettings: { phone: { voicemail: { detect: 'carrier' } } } };
    const call = await answered(service, key, { agent });
    await service.phone.tell(call.workspaceId, call.id, { type: 'answered_by', by: 'fax' });
    await eventually(async () => (await call.call()).endReason === 'voicemail');
    assert.deepEqual(dataOf(await call.events(), 'answered_by'), [{ by: 'fax', source: 'carrier' }]);
  });
});

onEachEngine('a model in a phone call', (engine) => {
  it('puts a number on the do-not-call list, and dials nothing that it was told', async () => {
    const model = await modelDouble();
    const service = await startPhoneService(engine, { calls: { llm: model.llm } });
    const { key } = await service.newKey();
    model.play(
      { tools: [{ name: 'transfer_call', arguments: JSON.stringify({ name: '+819099999999' }) }] },
      { tools: [{ name: 'do_not_call_again', arguments: '{}' }] },
      { text: 'Done.' },
    );
    const { line, ...call } = await answered(service, key, { model: 'gpt', agent: { agentSettings: { phone } } });
    await line.say('Stop', 'calling');
    await line.until(() => line.heard.includes('Done'));
    line.hangUp();
    await eventually(async () => (await call.call()).status === 'ended');
    const turns = await call.turns();
    await service.close();
    assert.deepEqual([service.lines.transfers, service.lines.doNotCallList], [[], [theirNumber]]);
    assert.deepEqual(toolsIn(turns), [['do_not_call_again', {}, { added: true }]]);
  });
});
