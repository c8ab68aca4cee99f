import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sqliteEngine } from '../../../support/engines.ts';
import { startService } from '../../../support/service.ts';
import { eventually, quickTime, useModelService } from '../support.ts';
import { connect, joined, LiveClient, ongoing, refused, withResume } from './support.ts';

const seats = {
  name: 'pick_seat',
  description: 'Lets the caller pick a seat on the page.',
  parameters: { type: 'object', properties: { row: { type: 'integer' } }, required: ['row'] },
  where: 'client',
  timeoutMs: 30_000,
};
const agent = { agentSettings: { tools: [seats] } };
const model = 'gpt-5.4-mini';
const pick = { tools: [{ name: 'pick_seat', arguments: '{"row":3}' }] };

describe('a tool that runs in the page', () => {
  const { service, model: double } = useModelService(sqliteEngine());

  const called = async () => {
    const { key } = await service.newKey();
    const call = await ongoing(service, key, { model, agent });
    double.play(pick, { text: 'Seat 12 it is.' });
    call.client.send({ type: 'text', text: 'A seat, please.' });
    return { ...call, toolCall: await call.client.next('tool_call') };
  };

  /** The page that has come back answers the tool call that it gets. Returns that frame. */
  const answered = async (page: LiveClient) => {
    await page.start();
    const toolCall = await page.next('tool_call');
    page.send({ type: 'tool_result', toolCallId: toolCall.toolCallId, result: 12 });
    await page.said('Seat 12 it is.');
    page.send({ type: 'end' });
    await page.closed;
    return toolCall;
  };

  it('gets its arguments, and its result goes to the model', async () => {
    const { client, toolCall, ...call } = await called();
    assert.deepEqual([toolCall.name, toolCall.arguments], ['pick_seat', { row: 3 }]);
    client.send({ type: 'tool_result', toolCallId: toolCall.toolCallId, result: { variables: { seat: 12 } } });
    await client.said('Seat 12 it is.');
    client.send({ type: 'end' });
    await client.closed;
    const [, tool] = await call.turns();
    assert.deepEqual([tool?.role, tool?.toolCall?.id, tool?.toolCall?.isError], ['tool', toolCall.toolCallId, false]);
    assert.deepEqual((await call.call()).collectedVariables, { seat: 12 });
    // A page sees its own tools, but no events of tools.
    const types = client.frames.filter(({ type }) => type === 'event').map(({ event }) => event.type);
    assert.ok(!types.some((type) => type.startsWith('tool_')), types.join());
  });

  it('is not asked for in a call that uses examples, also after a reconnect', async () => {
    const { key } = await service.newKey();
    const tools = [{ ...seats, example: { seat: 7 } }];
    const fields = { model, agent: { agentSettings: { tools } }, call: { toolResults: 'example' } };
    const { client, id, resumeKey, ...call } = await ongoing(service, key, fields);
    double.play(pick, { text: 'Seat 7 it is.' }, pick, { text: 'Still 7.' });
    client.send({ type: 'text', text: 'A seat, please.' });
    await client.said('Seat 7 it is.');
    await client.drop();
    const second = await joined(connect(service, id, withResume(resumeKey)));
    await second.start();
    second.send({ type: 'text', text: 'And again?' });
    await second.said('Still 7.');
    second.send({ type: 'end' });
    await second.closed;
    const used = (await call.turns()).flatMap(({ toolCall }) => (toolCall === null ? [] : [toolCall]));
    assert.deepEqual(
      used.map(({ isExample, result }) => [isExample, result]),
      [
        [true, { seat: 7 }],
        [true, { seat: 7 }],
      ],
    );
    const frames = [...client.frames, ...second.frames];
    assert.ok(!frames.some(({ type }) => type === 'tool_call'));
  });

  it('can fail, and a second result is ignored', async () => {
    const { client, toolCall, ...call } = await called();
    client.send({ type: 'tool_result', toolCallId: toolCall.toolCallId, error: 'no seat is free' });
    client.send({ type: 'tool_result', toolCallId: toolCall.toolCallId, result: 'late' });
    await client.said('Seat 12 it is.');
    client.send({ type: 'end' });
    await client.closed;
    const [, tool] = await call.turns();
    assert.deepEqual([tool?.toolCall?.isError, tool?.toolCall?.result], [true, 'no seat is free']);
  });

  it('is called again if the page was gone, and runs for as long as it may', async () => {
    const { client, toolCall, id, resumeKey } = await called();
    await client.drop();
    const second = await joined(connect(service, id, withResume(resumeKey)));
    assert.deepEqual(await answered(second), toolCall);
  });

  it('is called in the page that comes back, if none was there', async () => {
    const { key } = await service.newKey();
    const { client, id, resumeKey } = await ongoing(service, key, { model, agent });
    const { promise: isGone, resolve: gone } = Promise.withResolvers<void>();
    double.play({ text: '', ...pick, after: isGone }, { text: 'Seat 12 it is.' });
    const requests = double.requests.length;
    client.send({ type: 'text', text: 'A seat, please.' });
    await eventually(async () => double.requests.length > requests);
    await client.drop();
    gone();
    const second = await joined(connect(service, id, withResume(resumeKey)));
    await answered(second);
  });

  it('of a page that is gone lets the page come back to another process', async () => {
    const { client, toolCall, id, resumeKey } = await called();
    const other = await startService(sqliteEngine(), { databaseUrl: service.databaseUrl, calls: { llm: double.llm } });
    await client.drop();
    const comeBack = () => connect(other, id, withResume(resumeKey));
    const second = await eventually(async () => {
      const answer = await comeBack();
      // Until its process has noticed that the page is gone.
      return answer instanceof LiveClient && answer;
    });
    assert.deepEqual(await answered(second), toolCall);
    await other.close();
  });

  it('keeps the call where it is: another process cannot take it over meanwhile', async () => {
    const { client, toolCall, id, resumeKey } = await called();
    const other = await startService(sqliteEngine(), { databaseUrl: service.databaseUrl, calls: { llm: double.llm } });
    assert.equal(await refused(connect(other, id, withResume(resumeKey))), '503 SERVICE_UNAVAILABLE');
    client.send({ type: 'tool_result', toolCallId: toolCall.toolCallId, result: 12 });
    await client.said('Seat 12 it is.');
    const second = await joined(connect(other, id, withResume(resumeKey)));
    await second.start();
    second.send({ type: 'end' });
    await second.closed;
    await other.close();
  });
});

describe('a tool that runs while its process stops', () => {
  const { service, model: double } = useModelService(sqliteEngine());

  for (const dataStorageSetting of ['everything', 'basic_attributes_only'] as const) {
    it(`is called again under its id in another process, which has the call at once: ${dataStorageSetting}`, async () => {
      const { key } = await service.newKey();
      const options = { databaseUrl: service.databaseUrl, calls: { llm: double.llm } };
      const one = await startService(sqliteEngine(), options);
      const { client, resumeKey, id } = await ongoing(one, key, { model, agent: { ...agent, dataStorageSetting } });
      double.play(pick);
      client.send({ type: 'text', text: 'A seat, please.' });
      const first = await client.next('tool_call');
      const closing = one.close();
      assert.equal(await client.closed, 4503);
      await closing;
      const row = await service.database.get('SELECT owner, lease_until FROM calls WHERE id = $1', [id]);
      assert.deepEqual(row, { owner: null, lease_until: null });
      double.play({ text: 'Seat 12 it is.' });
      const second = await joined(connect(service, id, withResume(resumeKey)));
      await second.start();
      const again = await second.next('tool_call');
      assert.equal(again.toolCallId, first.toolCallId);
      second.send({ type: 'tool_result', toolCallId: again.toolCallId, result: 12 });
      await second.said('Seat 12 it is.');
      second.send({ type: 'end' });
      await second.closed;
    });
  }
});

describe('a tool that the page does not answer', () => {
  const { service, model: double } = useModelService(sqliteEngine(), { calls: { clock: quickTime() } });

  it('fails after its time', async () => {
    const { key } = await service.newKey();
    const { client, ...call } = await ongoing(service, key, { model, agent });
    double.play(pick, { text: 'Let us try that again.' });
    client.send({ type: 'text', text: 'A seat, please.' });
    await client.said('Let us try that again.');
    client.send({ type: 'end' });
    await client.closed;
    const tool = (await call.turns()).find(({ role }) => role === 'tool');
    assert.deepEqual([tool?.toolCall?.isError, tool?.toolCall?.result], [true, 'the page did not respond in time']);
  });
});
