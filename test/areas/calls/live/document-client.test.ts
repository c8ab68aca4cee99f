import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { sqliteEngine } from '../../../support/engines.ts';
import { useService } from '../../../support/service.ts';
import { said } from '../support.ts';
import { testSpeech } from './caller.ts';
import { DocumentClient } from './document-client.ts';
import { newWebCall } from './support.ts';

const ten = 'One two three. Four five six seven. Eight nine ten.';
/** Test speech says a word in ten frames of 20 ms. */
const wordSamples = 3200;
const framesPerWord = 10;

/** Test speech: `TEST`, the length of the text in two bytes, and the text; frames without text continue the word. */
function spoken(...words: string[]): Buffer[] {
  return words.flatMap((word) =>
    Array.from({ length: framesPerWord }, (_, index) => {
      const frame = Buffer.alloc(640);
      frame.write('TEST', 'latin1');
      frame.writeUInt16LE(frame.write(index === 0 ? word : '', 6), 4);
      return frame;
    }),
  );
}

describe('a client made from the AsyncAPI document alone', () => {
  const service = useService(sqliteEngine());

  it('imports nothing of the service', () => {
    const source = readFileSync(new URL('./document-client.ts', import.meta.url), 'utf8');
    const imports = [...source.matchAll(/from '([^']+)'/g)].map(([, name]) => name);
    assert.deepEqual(imports, ['ws']);
  });

  it('holds a spoken call, is interrupted, resumes, and sees and sends only what the document has', async () => {
    const { key } = await service.newKey();
    const document = (await (await fetch(`${service.url}/asyncapi.json`)).json()) as Record<string, unknown>;
    const agent = { ...testSpeech, prompt: `${ten}\nGoodbye.`, beginMessage: 'Good morning. How can I help you?' };
    const call = await newWebCall(service, key, { model: 'test-script', agent });
    const { token, liveUrl } = call.created.access as { token: string; liveUrl: string };
    const client = new DocumentClient(document, service.url);

    // The agent opens, and is interrupted after two words.
    client.playsUpTo = 2 * wordSamples;
    assert.equal(await client.connect(liveUrl, { 'access token': token }), 101);
    const { capabilities } = await client.start();
    assert.deepEqual(capabilities, { speechIn: true, speechOut: true, recording: false });
    await client.next('transcript', ({ text }) => text === 'Good morning');
    client.say(spoken('wait', 'please', 'stop'));
    const { utterance: cleared } = await client.next('clear');
    assert.equal(cleared, client.numbers[0]);

    // It is answered, and the connection breaks after four words.
    client.playsUpTo = 4 * wordSamples;
    await client.next('transcript', ({ role, text }) => role === 'agent' && text === 'One two three. Four');
    await client.drop();
    const before = client.received.length;

    // The rest is said again, from the start of the sentence.
    client.playsUpTo = Number.POSITIVE_INFINITY;
    assert.equal(await client.connect(liveUrl, { resumeKey: client.resumeKey }), 101);
    await client.start();
    const rest = 'Four five six seven. Eight nine ten.';
    await client.next('transcript', ({ isFinal, text }) => isFinal && text === rest, before);
    client.say(spoken('thanks'));
    await client.next('transcript', ({ role, isFinal, text }) => role === 'agent' && isFinal && text === 'Goodbye.');
    const closed = client.closed();
    client.send({ type: 'end' });
    assert.deepEqual(await client.next('ended'), { type: 'ended', reason: 'caller_hangup' });
    assert.equal(await closed, 1000);

    assert.deepEqual(client.issues, []);
    assert.deepEqual(said(await call.turns()), [
      ['agent', 'Good morning'],
      ['caller', 'wait please stop'],
      ['agent', 'One two three. Four'],
      ['agent', rest],
      ['caller', 'thanks'],
      ['agent', 'Goodbye.'],
    ]);
  });

  it('learns from the status of the handshake what is wrong', async () => {
    const { key } = await service.newKey();
    const document = (await (await fetch(`${service.url}/asyncapi.json`)).json()) as { info: { description: string } };
    const call = await newWebCall(service, key, {});
    const { token, liveUrl } = call.created.access as { token: string; liveUrl: string };
    const connect = (url: string, credential: Parameters<DocumentClient['connect']>[1]) =>
      new DocumentClient(document, service.url).connect(url, credential);
    const withoutProtocol = structuredClone(document) as never as {
      channels: { call: { bindings: { ws: { headers: { properties: Record<string, { examples: string[] }> } } } } };
    };
    const { properties } = withoutProtocol.channels.call.bindings.ws.headers;
    properties['Sec-WebSocket-Protocol'] = { examples: ['token.<access token>'] };
    const statuses = [
      await new DocumentClient(withoutProtocol, service.url).connect(liveUrl, { 'access token': token }),
      await connect(liveUrl, { 'access token': 'vat_unknown' }),
      await connect(
        liveUrl.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        { 'access token': token },
      ),
    ];
    assert.deepEqual(statuses, [400, 401, 404]);
    await call.end();
    statuses.push(await connect(liveUrl, { 'access token': token }));
    assert.equal(statuses.at(-1), 409);
    for (const status of statuses) assert.ok(document.info.description.includes(`| ${status} |`), `${status}`);
  });
});
