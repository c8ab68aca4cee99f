import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sqliteEngine } from '../../../support/engines.ts';
import { useService } from '../../../support/service.ts';
import { ongoing } from './support.ts';

describe('keys that the caller of a web call presses', () => {
  const service = useService(sqliteEngine());
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  /** A call in which a menu is chosen and a number is entered, up to its end. */
  const callWithKeys = async (dataStorageSetting: string) => {
    const { client, ...call } = await ongoing(service, key, { agent: { dataStorageSetting } });
    client.send({ type: 'dtmf', digits: '1#' });
    await client.said('1');
    client.send({ type: 'dtmf', digits: '48' });
    client.send({ type: 'dtmf', digits: '2159#' });
    await client.said('482159');
    client.send({ type: 'end' });
    await client.next('ended');
    return call;
  };
  type CallWithKeys = Awaited<ReturnType<typeof callWithKeys>>;
  const keptEvents = async (call: CallWithKeys) =>
    (await call.events())
      .filter(({ type }) => type === 'dtmf_received')
      .map(({ data }) => (data as { digits: string | null }).digits);
  const kept = async (call: CallWithKeys) => {
    const turns = (await call.turns()).filter(({ role }) => role === 'caller');
    return { events: await keptEvents(call), turns: turns.map(({ text }) => text) };
  };

  it('are turns that the agent answers, and events of the call', async () => {
    const call = await callWithKeys('everything');
    assert.deepEqual(await kept(call), { events: ['1', '482159'], turns: ['1', '482159'] });
  });

  it('are stored without what may be a PIN or a number', async () => {
    const call = await callWithKeys('everything_except_pii');
    assert.deepEqual(await kept(call), { events: ['1', '[DIGITS]'], turns: ['1', '[DIGITS]'] });
  });

  it('are removed by a redaction, at each level', async () => {
    const call = await callWithKeys('everything');
    assert.equal((await call.redact('everything_except_pii')).status, 200);
    assert.deepEqual(await kept(call), { events: ['1', '[DIGITS]'], turns: ['1', '[DIGITS]'] });
    assert.equal((await call.redact('basic_attributes_only')).status, 200);
    assert.deepEqual(await keptEvents(call), [null, null]);
  });

  it('are never stored with basic_attributes_only', async () => {
    const call = await callWithKeys('basic_attributes_only');
    assert.deepEqual(await keptEvents(call), [null, null]);
  });
});
