import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { openDatabase } from '../../src/storage/open.ts';
import { parseDocument } from '../../src/voice/carriers/local/twiml.ts';
import { twilioSignature } from '../../src/voice/carriers/twilio/signature.ts';
import { locationOf } from '../../test/support/engines.ts';
import type { Run } from '../campaign.ts';
import { Connection, CutError, type Reply } from '../connection.ts';
import type { Random } from '../random.ts';

/** What the service is started with, so that a carrier can call it. Nothing listens at the address of the carrier. */
export const carrierSettings = { PUBLIC_URL: 'https://fuzz.example', TWILIO_BASE_URL: 'http://127.0.0.1:9' };

interface CarrierFuzz {
  readonly run: Pick<Run, 'random' | 'found' | 'isOver'>;
  readonly port: number;
  readonly key: string;
  readonly databaseUrl: string;
  readonly webhooks: number;
  readonly sockets: number;
}

const ourNumber = '+442079460100';
const accountSid = `AC${'9'.repeat(32)}`;
const authToken = 'an-auth-token-for-fuzz-only';
const atOnce = 8;
/** For calls in requests without the right signature: nothing of them may be stored. */
const unsignedSid = 'CAunsigned';
const paths = [
  ...[
    '/voice',
    '/voice',
    '/status',
    '/calls/{id}/answer',
    '/calls/{id}/rejoin',
    '/calls/{id}/status',
    '/calls/{id}/amd',
  ],
  ...['/calls/{id}/dial/transfer-1', '/calls/{id}/dial/transfer-1/answered', '/calls/{id}/brief/transfer-1'],
  ...['/calls/{id}/brief/transfer-1/answer', '/calls/{id}/brief/transfer-1/status', '/calls/{id}/nothing', '/media/x'],
];
const fieldNames = [
  ...['CallSid', 'AccountSid', 'From', 'To', 'CallStatus', 'Direction', 'CallDuration', 'Duration', 'ErrorCode'],
  ...['SipResponseCode', 'AnsweredBy', 'MachineDetectionDuration', 'DialCallStatus', 'DialCallSid', 'DialCallDuration'],
  ...[
    'Digits',
    'SpeechResult',
    'Confidence',
    'StreamEvent',
    'StreamSid',
    'ParentCallSid',
    'SequenceNumber',
    'Timestamp',
  ],
];
const callStatuses = [
  'queued',
  'initiated',
  'ringing',
  'in-progress',
  'completed',
  'busy',
  'failed',
  'no-answer',
  'canceled',
];
const allowedStatuses = new Set([200, 400, 401, 404, 405, 413, 415, 503]);
/** Close codes that say what happened. 1006: the socket was cut. */
const closeCodes = new Set([1000, 1001, 1002, 1003, 1006, 1007, 1008, 1009, 1011, 4408]);

/** Signed and unsigned requests of a carrier, and frames on its media socket, half of them broken. */
export async function fuzzCarrier(fuzz: CarrierFuzz): Promise<Readonly<Record<string, number>>> {
  const { run, databaseUrl } = fuzz;
  const { carrierId } = await setUp(fuzz);
  const requests = new CarrierRequests(run.random.fork(), carrierId);
  const counts = { webhooks: 0, sockets: 0, frames: 0 };
  const attack = async (): Promise<void> => {
    while (counts.webhooks < fuzz.webhooks && !run.isOver()) {
      counts.webhooks += 1;
      await sendWebhook(fuzz, requests);
    }
    while (counts.sockets < fuzz.sockets && !run.isOver()) {
      counts.sockets += 1;
      const frames = await openMedia(fuzz, requests);
      counts.frames += frames;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, attack));
  const database = openDatabase(locationOf(databaseUrl), () => {});
  const stored = await database.get('SELECT call_id FROM phone_dials WHERE provider_call_id LIKE $1', [
    `${unsignedSid}%`,
  ]);
  await database.close();
  if (stored !== undefined) run.found('something of a request without the right signature is stored');
  return { 'carrier requests': counts.webhooks, 'media sockets': counts.sockets, 'media frames': counts.frames };
}

async function setUp({ port, key }: CarrierFuzz): Promise<{ readonly carrierId: string }> {
  const connection = new Connection(port);
  const must = async (path: string, body: object) => {
    const reply = await connection.request('POST', `/api/v1/${path}`, { key, body });
    if (reply.status > 299) throw new Error(`${path} was answered ${reply.status}: ${reply.body}`);
    return JSON.parse(reply.body.toString());
  };
  const speech = { sttProvider: 'test', ttsProvider: 'test', voiceId: 'test', language: 'en' };
  const engine = { responseEngineType: 'single_prompt', llmModel: 'test-echo', prompt: 'x', beginMessage: 'Hello.' };
  const { id: agentId } = await must('agents', { name: 'Phone', ...speech, ...engine });
  await must(`agents/${agentId}/publish`, {});
  const account = { provider: 'twilio', settings: { accountSid }, credentials: { authToken } };
  const { id: carrierId } = await must('carriers', { name: 'Carrier', ...account });
  await must('phone-numbers', { carrierId, number: ourNumber, inbound: { agentId }, configureCarrier: false });
  connection.close();
  return { carrierId };
}

interface CarrierRequest {
  readonly path: string;
  readonly isSigned: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Makes requests as a carrier would, and breaks about half of them. */
class CarrierRequests {
  readonly #random: Random;
  readonly #root: string;
  /** The ids of calls that exist, learned from documents. */
  readonly #callIds: string[] = [];
  #count = 0;

  constructor(random: Random, carrierId: string) {
    this.#random = random;
    this.#root = `/carrier/v1/${carrierId}`;
  }

  get random(): Random {
    return this.#random;
  }

  learn(document: string): void {
    const id = /\/calls\/(call_\w+)\/rejoin/.exec(document)?.[1];
    if (id !== undefined) this.#callIds.push(id);
    if (this.#callIds.length > 50) this.#callIds.shift();
  }

  /** A call that arrives. */
  announced(): CarrierRequest & { readonly callSid: string } {
    const callSid = this.#newSid('CA');
    const fields = {
      CallSid: callSid,
      AccountSid: accountSid,
      From: '+447400100001',
      To: ourNumber,
      CallStatus: 'ringing',
    };
    return { ...this.#form(`${this.#root}/voice`, Object.entries(fields), 'right'), callSid };
  }

  next(): CarrierRequest {
    const random = this.#random;
    const id =
      random.chance(0.8) && this.#callIds.length > 0 ? random.pick(this.#callIds) : `call_${random.int(0, 1e9)}`;
    const root = random.chance(0.05) ? '/carrier/v1/car_0' : this.#root;
    const query = random.chance(0.05) ? '?a=%00&b' : '';
    const path = `${root}${random.pick(paths).replace('{id}', id)}${query}`;
    const signing = random.chance(0.7) ? 'right' : random.pick(['wrong', 'missing', 'empty', 'long'] as const);
    const fields = fieldNames
      .filter((name) => random.chance(name.startsWith('Call') || name === 'To' || name === 'From' ? 0.9 : 0.3))
      .map((name): [string, string] => [name, this.#value(name, signing === 'right')]);
    if (random.chance(0.1)) fields.push(...fields);
    const made = this.#form(path, fields, signing);
    if (random.chance(0.85)) return made;
    // A body whose signature is that of another, or that is no form.
    const bodies = ['%', '%zz=%00', '{"CallSid":"CA1"}', `To=${'9'.repeat(70_000)}`, '\u0000\ufffd', '='];
    const content = random.pick(['application/json', 'text/plain', '', 'application/x-www-form-urlencoded']);
    const headers = { ...made.headers, 'Content-Type': content };
    return { ...made, headers, body: Buffer.from(random.pick(bodies)), isSigned: false };
  }

  #newSid(prefix: string): string {
    this.#count += 1;
    return `${prefix}${String(this.#count).padStart(32, '0')}`;
  }

  #value(name: string, isSigned: boolean): string {
    const random = this.#random;
    if (name === 'CallSid') return isSigned ? this.#newSid('CA') : this.#newSid(unsignedSid);
    if (random.chance(0.3)) {
      const odd = [
        '',
        '\u0000',
        'x'.repeat(5000),
        '💥',
        '-1',
        '1e999',
        '９',
        '"><script>',
        ' ',
        '\r\n',
        'null',
        '[object]',
      ];
      return random.pick(odd);
    }
    if (name === 'CallStatus' || name === 'DialCallStatus') return random.pick(callStatuses);
    if (name === 'To') return random.pick([ourNumber, '442079460100', '+15551234567', '02079460100']);
    if (name === 'From') return random.pick(['+447400100001', 'anonymous', '+266696687', 'sip:a@b', 'client:x']);
    if (name === 'AnsweredBy') return random.pick(['human', 'machine_start', 'machine_end_beep', 'fax', 'unknown']);
    return String(random.int(0, 100_000));
  }

  #form(
    path: string,
    fields: readonly (readonly [string, string])[],
    signing: 'right' | 'wrong' | 'missing' | 'empty' | 'long',
  ): CarrierRequest {
    const signed = twilioSignature(
      signing === 'right' ? authToken : 'another',
      carrierSettings.PUBLIC_URL + path,
      fields,
    );
    const signature = { right: signed, wrong: signed, missing: null, empty: '', long: 'A'.repeat(4000) }[signing];
    const body = Buffer.from(new URLSearchParams(fields.map(([name, value]) => [name, value])).toString());
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(signature === null ? {} : { 'X-Twilio-Signature': signature }),
    };
    return { path, headers, body, isSigned: signing === 'right' };
  }
}

async function post({ port }: CarrierFuzz, { path, headers, body }: CarrierRequest): Promise<Reply | null> {
  const connection = new Connection(port);
  try {
    return await connection.request('POST', path, { headers, rawBody: body });
  } catch (error) {
    if (error instanceof CutError) return null;
    throw error;
  } finally {
    connection.close();
  }
}

async function sendWebhook(fuzz: CarrierFuzz, requests: CarrierRequests): Promise<void> {
  const { found } = fuzz.run;
  const request = requests.next();
  const reply = await post(fuzz, request);
  const route = request.path.replace(/c(ar|all)_\w+/g, '…').replace(/\?.*/, '');
  if (reply === null) {
    found(`a request of the carrier to ${route} has no answer`);
    return;
  }
  const { status, headers, body } = reply;
  const sent = JSON.stringify(request.body.toString().slice(0, 600));
  if (!allowedStatuses.has(status))
    found(`a request of the carrier to ${route} was answered ${status}: ${body}; sent ${sent}`);
  if (!request.isSigned && status < 400)
    found(`a request without the right signature to ${route} was answered ${status}`);
  if (!headers.has('x-request-id')) found('a response to the carrier has no request id');
  if (status !== 200 || body.length === 0) return;
  requests.learn(body.toString());
  try {
    parseDocument(body.toString());
  } catch (error) {
    found(`the document of ${route} is not valid: ${(error as Error).message}`);
  }
}

/** Connects the media of a new call and sends frames. Resolves to how many. */
async function openMedia(fuzz: CarrierFuzz, requests: CarrierRequests): Promise<number> {
  const { random } = requests;
  const { found } = fuzz.run;
  const announced = requests.announced();
  const reply = await post(fuzz, announced);
  const path = /wss:\/\/fuzz\.example([^"]+)"/.exec(reply?.body.toString() ?? '')?.[1];
  if (path === undefined) {
    if (reply?.status !== 503) found(`a call that arrives was answered ${reply?.status}: ${reply?.body}`);
    return 0;
  }
  const url = `wss://fuzz.example${path}`;
  const signature = random.chance(0.9) ? twilioSignature(authToken, url, []) : 'wrong';
  const socket = new WebSocket(`ws://127.0.0.1:${fuzz.port}${path}`, { headers: { 'x-twilio-signature': signature } });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  let refusal = '';
  socket.on('error', (error) => {
    refusal = error.message;
  });
  const isOpen = await Promise.race([
    once(socket, 'open').then(
      () => true,
      () => false,
    ),
    closed.then(() => false),
  ]);
  if (isOpen && signature === 'wrong') found('a media socket without the right signature was opened');
  if (!isOpen && signature !== 'wrong') found(`a media socket was not opened: ${refusal}`);
  let frames = 0;
  for (const count = random.int(5, 60); isOpen && frames < count && socket.readyState === WebSocket.OPEN; frames += 1) {
    const frame = frames === 0 && random.chance(0.9) ? startFrame(announced.callSid) : randomFrame(random);
    socket.send(frame);
    if (random.chance(0.2)) await delay(random.int(0, 20));
  }
  if (random.chance(0.5)) socket.terminate();
  else socket.close(1000);
  const code = await Promise.race([closed, delay(10_000).then(() => -1)]);
  if (code === -1) found('a media socket was not closed');
  else if (isOpen && !closeCodes.has(code)) found(`a media socket was closed with ${code}`);
  return frames;
}

function startFrame(callSid: string): string {
  const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
  const start = { accountSid, streamSid: 'MZ1', callSid, tracks: ['inbound'], mediaFormat, customParameters: {} };
  return JSON.stringify({ event: 'start', sequenceNumber: '1', start, streamSid: 'MZ1' });
}

function randomFrame(random: Random): string | Buffer {
  const payload = Buffer.from(Array.from({ length: 160 }, () => random.int(0, 255))).toString('base64');
  const odd = random.pick<unknown>([
    null,
    -1,
    1e300,
    '',
    'NaN',
    '9007199254740993',
    {},
    [],
    'x'.repeat(11_000),
    true,
    '1.5',
  ]);
  const media = { track: 'inbound', chunk: String(random.int(0, 100)), timestamp: String(random.int(0, 1e6)), payload };
  const broken = { ...media, [random.pick(Object.keys(media))]: odd };
  const names = ['1.1.160', '0.0.0', '-1.-1.-1', '1.1.1e308', '💥', 'x'.repeat(100), '999999.1.99999999999'];
  switch (random.int(0, 9)) {
    case 0:
    case 1:
    case 2:
      return JSON.stringify({ event: 'media', media, streamSid: 'MZ1' });
    case 3:
      return JSON.stringify({ event: 'media', media: broken, streamSid: 'MZ1' });
    case 4:
      return JSON.stringify({ event: 'mark', mark: { name: random.chance(0.7) ? random.pick(names) : odd } });
    case 5:
      return JSON.stringify({
        event: 'dtmf',
        dtmf: { digit: random.chance(0.7) ? random.pick([...'0123456789*#']) : odd },
      });
    case 6:
      return JSON.stringify({ event: random.pick<unknown>(['connected', 'start', 'unknown', odd]), start: odd });
    case 7:
      return '['.repeat(random.int(1, 10_000));
    case 8:
      return random.chance(0.3) ? Buffer.from(payload, 'base64') : `{"event":"media","media":${payload}`;
    default:
      return random.chance(0.2) ? JSON.stringify({ event: 'stop', stop: odd }) : 'x'.repeat(random.int(1, 70_000));
  }
}
