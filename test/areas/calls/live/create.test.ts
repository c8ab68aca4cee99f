import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { SpeechProvider } from '../../../../src/voice/providers/speech-provider.ts';
import { sqliteEngine } from '../../../support/engines.ts';
import { testSpeech, useService } from '../../../support/service.ts';
import { create, testAgent } from '../support.ts';
import { ongoing } from './support.ts';

describe('creating a web call', () => {
  let isBusy = false;
  const deepgram: SpeechProvider = {
    name: 'deepgram',
    configured: true,
    capabilities: ['stt', 'tts'],
    languages: [],
    automatic: false,
  };
  const speech = testSpeech(deepgram);
  const service = useService(sqliteEngine(), { speech, calls: { live: { isBusy: () => isBusy } } });
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });
  const fieldsOf = async (agent: object, call: object = {}) => {
    const { id: agentId } = await testAgent(service, key, 'test-echo', agent);
    const { status, json } = await create(service, key, { type: 'web', agentId, ...call });
    return status === 422 ? Object.keys(json.error.details.fieldErrors) : status;
  };

  it('is refused if a speech provider that the agent names is not configured', async () => {
    assert.deepEqual(await fieldsOf({ sttProvider: 'unknown', ttsProvider: 'other' }), ['sttProvider', 'ttsProvider']);
    assert.equal(await fieldsOf({ sttProvider: 'deepgram', ttsProvider: 'deepgram' }), 201);
    assert.equal(await fieldsOf({ sttProvider: 'unknown' }, { type: 'chat' }), 201);
  });

  it('with the recognition of the browser needs that everything is stored', async () => {
    assert.equal(await fieldsOf({ sttProvider: 'browser' }), 201);
    const strict = { dataStorageSetting: 'everything_except_pii' };
    assert.deepEqual(await fieldsOf({ sttProvider: 'browser', ...strict }), ['sttProvider']);
  });

  it('is refused while the process is too busy, if it has a voice call', async () => {
    isBusy = true;
    const { id: agentId } = await testAgent(service, key);
    const body = { type: 'web', agentId };
    assert.equal((await create(service, key, body)).status, 201);
    isBusy = false;
    const { client } = await ongoing(service, key);
    isBusy = true;
    const refused = await create(service, key, body);
    assert.deepEqual([refused.status, refused.json.error.code], [503, 'SERVICE_UNAVAILABLE']);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal((await create(service, key, { ...body, type: 'chat' })).status, 201);
    client.send({ type: 'end' });
    await client.closed;
    assert.equal((await create(service, key, body)).status, 201);
    isBusy = false;
  });
});
