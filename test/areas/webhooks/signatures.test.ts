import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { Random } from '../../../campaigns/random.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { seed } from '../../support/seed.ts';
import {
  eventReceiver,
  newWorkspace,
  type ReceivedRequest,
  type SendingService,
  startSendingService,
} from './receiving.ts';
import { callEvent, write } from './support.ts';

const webhooks = 10;
const events = 100;
const texts = ['予約したいです', '😀'.repeat(50), '\u2028</script>"\\', 'a'.repeat(5000), '\u0000\ud800', ''];
const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'body'] as const;

describe('a thousand deliveries', () => {
  let service: SendingService;
  before(async () => {
    service = await startSendingService(sqliteEngine());
  });
  after(() => service.close());

  it('are verified by the library of Standard Webhooks, and none with a changed byte', async () => {
    const random = new Random(seed);
    const receiver = await eventReceiver();
    const { workspaceId, create, post } = await newWorkspace(service);
    const secrets = new Map<string, string[]>();
    for (let number = 0; number < webhooks; number += 1) {
      const include = number % 2 === 0 ? ['transcript'] : [];
      const { id, secret } = await create({ url: `${receiver.url}/${number}`, include });
      // One of them has two valid secrets.
      const others = number === 0 ? [(await post(`/webhooks/${id}/rotate-secret`, {})).secret] : [];
      secrets.set(`/hook/${number}`, [secret, ...others]);
    }
    await Promise.all(
      Array.from({ length: events }, (_, index) =>
        write(
          service,
          callEvent(workspaceId, {
            subjectId: `call_${index % 10}`,
            sequence: Math.floor(index / 10) + 1,
            data: { call: { id: 'call_1', metadata: { text: random.pick(texts), index } } },
            transcript: () => ({ turns: [{ text: random.pick(texts) }] }),
          }),
        ),
      ),
    );
    await eventually(() => receiver.requests.length >= webhooks * events, 'all of them');
    assert.equal(receiver.requests.length, webhooks * events);
    for (const request of receiver.requests) {
      const valid = secrets.get(request.path) ?? [];
      for (const secret of valid) assert.ok(isVerified(request, secret));
      // Two signatures are valid independently of each other.
      const part = random.pick(valid.length === 1 ? signed : signed.filter((name) => name !== 'webhook-signature'));
      const changed = withChangedByte(request, part, random);
      for (const secret of valid) assert.ok(!isVerified(changed, secret), `a changed ${part} is not noticed`);
    }
  });
});

function isVerified({ body, headers }: ReceivedRequest, secret: string): boolean {
  try {
    new Verifier(secret).verify(body, headers as Record<string, string>, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

function withChangedByte(request: ReceivedRequest, part: (typeof signed)[number], random: Random): ReceivedRequest {
  const { body, headers } = request;
  const bytes = Buffer.from(part === 'body' ? body : String(headers[part]));
  const place = random.int(0, bytes.length - 1);
  bytes[place] = (bytes[place] as number) ^ 1;
  const text = bytes.toString('utf8');
  return part === 'body' ? { ...request, body: text } : { ...request, headers: { ...headers, [part]: text } };
}
