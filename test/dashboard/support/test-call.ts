import { setTimeout as delay } from 'node:timers/promises';
import { realClock } from '../../../src/voice/clock.ts';
import { phoneClient } from '../../areas/phone/resources.ts';
import type { Engine } from '../../support/engines.ts';
import { embeddedSpeech, startService } from '../../support/service.ts';

/** The agent of docs/phone.md. */
const frontDesk = {
  name: 'Front desk',
  language: 'en',
  voiceId: 'slt',
  agentSettings: {
    flow: {
      skills: [
        {
          id: 'greet',
          type: 'choose',
          text: 'Thank you for calling the salon. May we call you back today?',
          routes: [{ when: ['yes', 'yeah'], next: 'done' }],
          retry: { text: 'Shall we call you back?', max: 1 },
          otherwise: 'done',
        },
        { id: 'done', type: 'end', text: 'We will call you back. Goodbye.' },
      ],
    },
  },
};

/** A call of the test carrier as in docs/phone.md, with the speech that is installed: it takes as long as it lasts. */
export async function makeTestCall(engine: Engine, mediaFolder: string) {
  const service = await startService(engine, { calls: { clock: realClock }, speech: embeddedSpeech(), mediaFolder });
  const { key } = await service.newKey({ workspace: 'Sakura Salon' });
  const client = phoneClient(service, key);
  const agent = (await client.call(201, 'POST', '/agents', frontDesk)).json;
  await client.call(200, 'POST', `/agents/${agent.id}/publish`);
  const carrier = await client.testCarrier();
  const { id } = await client.importNumber(carrier.id, '+99910000001', { inbound: { agentId: agent.id } });
  await client.checked(id);
  const { callId } = (await client.call(201, 'POST', `/phone-numbers/${id}/test`, {})).json;
  const isOver = async () => ['ended', 'error'].includes((await client.get(`/calls/${callId}`)).status);
  while (!(await isOver())) await delay(500);
  return { address: `${service.url}/calls/${callId}`, key, close: () => service.close() };
}
