import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Run } from '../campaign.ts';
import { parseReply, type Reply } from '../connection.ts';
import type { Random } from '../random.ts';
import { type Framing, framings } from './framings.ts';
import { cutInto, issueWith, type RawResult, sendRaw } from './raw-request.ts';

export type Amount = {
  readonly framings: number;
  readonly mutations: number;
  readonly halves: number;
  readonly pipelined: number;
  readonly idle: number;
  readonly flood: number;
  readonly lateReaders: number;
  readonly slow: number;
  /** Pipelined requests that one client sends without reading, and a longer version of the same. */
  readonly pipelineMB: number;
  readonly longPipelineMB: number;
  readonly pipelineClients: number;
  readonly stalledVisitors: number;
  readonly stalledPages: number;
  readonly slowBodies: number;
  readonly connections: number;
};

/** The target of an attack. */
export interface Target {
  readonly run: Run<Amount>;
  readonly port: number;
  readonly key: string;
  /** The path of an existing agent. */
  readonly agentPath: string;
}

/** Names of agents that must never be created: they are in smuggled and in incomplete requests. */
export const forbiddenNames = { hidden: 'must stay hidden', half: 'must not be there by half' };

const atOnce = 24;

const bodyNamed = (name: string) => JSON.stringify({ name, voiceId: 'v' });

function headOf({ key }: Target): string {
  return `Host: a\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
}

function create(target: Target, name: string, more = ''): string {
  const body = bodyNamed(name);
  return `POST /api/v1/agents HTTP/1.1\r\n${headOf(target)}${more}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function read(target: Target, more = ''): string {
  return `GET ${target.agentPath} HTTP/1.1\r\n${headOf(target)}${more}\r\n`;
}

/** Runs a task `count` times, several at a time. */
async function repeat({ run }: Target, count: number, what: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count && !run.isOver()) {
      next += 1;
      await what(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
  return next;
}

/** Requests with ambiguous framing, after up to two valid ones: a smuggled request must not be executed. */
export async function attackFraming(target: Target): Promise<number> {
  const { run, port } = target;
  const order = run.random.shuffled(framings);
  return repeat(target, run.amount.framings, async (index) => {
    const framing = order[index % order.length] as Framing;
    const random = run.random.fork();
    const hidden = create(target, forbiddenNames.hidden, 'X-Request-Id: hidden\r\n');
    const bytes = framing.make({ head: headOf(target), body: bodyNamed('odd'), hidden });
    const leading = Array.from({ length: random.pick([0, 0, 1, 2]) }, () =>
      random.chance(0.5) ? read(target) : create(target, 'good'),
    );
    const odd = Buffer.from(bytes, 'latin1');
    const pieces = random.chance(0.5)
      ? [
          ...leading.map((text) => Buffer.from(text)),
          ...cutInto(odd, random.pick([1, 1, 2, 4]), (most) => random.int(0, most)),
        ]
      : cutInto(Buffer.concat([Buffer.from(leading.join('')), odd]), random.pick([1, 1, 2]), (most) =>
          random.int(0, most),
        );
    const result = await sendRaw(port, pieces, {
      afterSend: framing.isRefused ? 'wait' : 'end',
      pauseMs: random.pick([0, 1, 5]),
    });
    const issue = framingIssue(framing, result, leading.length);
    if (issue !== undefined) run.found(`${framing.title}: ${issue}`);
  });
}

function framingIssue(
  { isRefused }: Framing,
  { answers, isStillOpen, isIncomplete }: RawResult,
  leading: number,
): string | undefined {
  if (isStillOpen) return 'the connection stays open';
  if (isIncomplete) return 'an answer that is not whole';
  const issues = answers.map(issueWith).filter((issue) => issue !== undefined);
  if (issues.length > 0) return issues[0];
  if (answers.some(({ headers }) => headers.get('x-request-id') === 'hidden')) return 'the hidden request was answered';
  if (answers.length > leading + 1) return `${answers.length} answers to ${leading + 1} requests`;
  if (!isRefused) return undefined;
  const last = answers.at(-1);
  if (last?.status !== 400) return `not refused, but ${answers.map(({ status }) => status).join(' ')}`;
  const early = answers.slice(0, -1).find(({ status }) => status >= 300);
  if (early !== undefined) return `a good request before it was answered ${early.status}`;
  return last.headers.get('connection') === 'close' ? undefined : 'refused without the end of the connection';
}

const oddBytes = [
  '\r',
  '\n',
  '\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  ';',
  '%',
  '0',
  '5',
  '/',
  '?',
  '#',
  '\x0b',
  '\x7f',
  '\x80',
  '\xff',
  '"',
  '{',
];

function mutate(bytes: Buffer, random: Random): Buffer {
  let mutated = bytes;
  for (let count = random.pick([1, 1, 2, 3]); count > 0; count -= 1) {
    const place = random.int(0, mutated.length - 1);
    const length = random.pick([0, 0, 1, 1, random.int(1, 20)]);
    const piece = random.pick([
      Buffer.from(random.pick(oddBytes), 'latin1'),
      Buffer.from([random.int(0, 255)]),
      mutated.subarray(place, place + random.int(1, 30)),
      Buffer.alloc(0),
    ]);
    mutated = Buffer.concat([mutated.subarray(0, place), piece, mutated.subarray(place + length)]);
  }
  return mutated;
}

/** Requests with a few mutated bytes: whole or in pieces, they get the same responses. */
export async function attackWithMutations(target: Target): Promise<number> {
  const { run } = target;
  const bases = [
    read(target),
    read(target, 'If-None-Match: "x"\r\nAccept: */*\r\n'),
    `GET /api/v1/agents?limit=1&q=a HTTP/1.1\r\n${headOf(target)}\r\n`,
    create(target, 'changed'),
    create(target, 'changed', 'Connection: keep-alive\r\nPrefer: handling=strict\r\n'),
    create(target, 'changed').replace('POST /api/v1/agents', `PATCH ${target.agentPath}`),
    `POST ${target.agentPath}/publish HTTP/1.1\r\n${headOf(target)}Content-Length: 0\r\n\r\n`,
  ].map((text) => Buffer.from(text));
  return repeat(target, run.amount.mutations, async () => {
    const random = run.random.fork();
    const bytes = mutate(random.pick(bases), random);
    // A single difference may be a race.
    let difference: string | undefined;
    for (const lingerMs of [10, 50, 300]) {
      difference = await differenceOf(target, bytes, lingerMs, random);
      if (difference === undefined) return;
    }
    run.found(
      `${difference}; sent: ${JSON.stringify(bytes.toString('latin1').replaceAll(target.key, 'KEY').slice(0, 400))}`,
    );
  });
}

async function differenceOf(
  { port }: Target,
  bytes: Buffer,
  lingerMs: number,
  random: Random,
): Promise<string | undefined> {
  const variants = [
    [bytes],
    [bytes.subarray(0, 1), bytes.subarray(1)],
    cutInto(bytes, 4, (most) => random.int(1, most)),
  ];
  const results: RawResult[] = [];
  for (const pieces of variants) results.push(await sendRaw(port, pieces, { afterSend: 'end', pauseMs: 3, lingerMs }));
  for (const { answers, isStillOpen, isIncomplete } of results) {
    if (isStillOpen) return 'the connection stays open after the last byte';
    if (isIncomplete) return 'an answer that is not whole';
    const issue = answers.map(issueWith).find((found) => found !== undefined);
    if (issue !== undefined) return issue;
  }
  const [whole, cutOnce, inPieces] = results.map(comparable);
  if (whole !== cutOnce) return `whole it is answered ${whole}, cut after its first byte ${cutOnce}`;
  return whole === inPieces ? undefined : `whole it is answered ${whole}, in pieces ${inPieces}`;
}

/**
 * Leaves out the error response to what follows a request: whether it still reaches a client that has ended is a race.
 */
function comparable({ answers }: RawResult): string {
  const isRefusal = ({ status, headers }: Reply) => status === 400 && headers.get('connection') === 'close';
  return answers
    .filter((answer, index) => index === 0 || !isRefusal(answer))
    .map(({ status, body, headers }) => {
      // Pages are not JSON and not errors.
      const text = headers.get('content-type')?.startsWith('application/json') ? body.toString() : '';
      const { error } = JSON.parse(text || '{}') as { error?: { message: string } };
      return `${status} ${error?.message ?? ''}`;
    })
    .join(', ');
}

/** Requests truncated at every byte, with and without a half-close: none of them may be executed. */
export async function attackWithHalves(target: Target): Promise<number> {
  const { run, port } = target;
  const bytes = Buffer.from(create(target, forbiddenNames.half));
  return repeat(target, run.amount.halves, async (index) => {
    const isAll = run.amount.halves >= bytes.length * 4;
    const length = isAll ? Math.floor(index / 4) % bytes.length : run.random.int(0, bytes.length - 1);
    const isBehind = run.random.chance(0.3);
    const half = bytes.subarray(0, length);
    const pieces = [
      ...(isBehind ? [Buffer.from(read(target))] : []),
      ...(index % 2 === 0 ? [half] : cutInto(half, 2, (most) => run.random.int(0, most))),
    ];
    const afterSend = index % 4 < 2 ? 'end' : 'cut';
    const { answers, isStillOpen } = await sendRaw(port, pieces, { afterSend, pauseMs: 3 });
    if (isStillOpen) run.found(`half a request, then ${afterSend}: the connection stays open`);
    const own = answers.slice(isBehind ? 1 : 0);
    for (const answer of own) {
      const issue = answer.status === 400 ? issueWith(answer) : `${answer.status}`;
      if (issue !== undefined) run.found(`half a request: ${issue}`);
    }
    if (own.length > 1) run.found('half a request: two responses');
  });
}

/** Many pipelined requests: one response each, in order. */
export async function attackWithPipelines(target: Target): Promise<number> {
  const { run, port } = target;
  const depth = Math.min(500, Math.ceil(run.amount.pipelined / 4));
  let answered = 0;
  await repeat(target, Math.ceil(run.amount.pipelined / depth), async () => {
    const random = run.random.fork();
    const requests = Array.from({ length: depth }, (_, index) => {
      const more = `X-Request-Id: ${index}\r\n${index === depth - 1 ? 'Connection: close\r\n' : ''}`;
      return random.chance(0.1) ? create(target, 'one of many', more) : read(target, more);
    });
    const bytes = Buffer.from(requests.join(''));
    const pieces = cutInto(bytes, random.pick([1, 2, 10]), (most) => random.int(0, most));
    if (random.chance(0.5)) pieces.unshift(Buffer.from(read(target, 'X-Request-Id: first\r\n')));
    const { answers, isStillOpen, isIncomplete } = await sendRaw(port, pieces, { afterSend: 'wait', maxMs: 60_000 });
    const own = answers.filter(({ headers }) => headers.get('x-request-id') !== 'first');
    answered += own.length;
    if (isStillOpen) run.found('a pipeline that does not come to its end');
    if (isIncomplete) run.found('a pipeline with an answer that is not whole');
    if (own.length !== depth) run.found(`a pipeline of ${depth} with ${own.length} answers`);
    if (own.some(({ headers }, index) => headers.get('x-request-id') !== String(index)))
      run.found('a pipeline that is out of order');
    if (own.some(({ status }) => status >= 300)) run.found('a pipeline with a good request that was refused');
  });
  return answered;
}

/** A request in progress followed by invalid bytes: it gets its own response, exactly once. */
export async function attackBehindWork(target: Target): Promise<void> {
  const { run, port } = target;
  const garbage = Buffer.from('no request at all\r\n\r\n');
  await repeat(target, Math.ceil(run.amount.framings / 10), async (index) => {
    const request = Buffer.from(create(target, 'before a fault', 'X-Request-Id: work\r\n'));
    const pieces = index % 2 === 0 ? [request, garbage] : [request.subarray(0, 1), request.subarray(1), garbage];
    const { answers } = await sendRaw(port, index % 4 < 2 ? pieces : [Buffer.concat(pieces)], {
      afterSend: 'wait',
      pauseMs: 0,
    });
    const place = answers.findIndex(({ headers }) => headers.get('x-request-id') === 'work');
    if (place > 0) run.found('the refusal of what follows comes before the answer');
    if (answers.length > 2) run.found(`${answers.length} answers to one request and a fault`);
    const [first] = answers;
    if (place === -1 && first !== undefined && index % 4 < 2)
      run.found('a request that was executed is reported as invalid HTTP');
  });
  await repeat(target, Math.ceil(run.amount.framings / 10), async (index) => {
    const bytes = Buffer.from(index % 4 < 2 ? read(target) : create(target, 'before the end'));
    const pieces = index % 2 === 0 ? [bytes] : [bytes.subarray(0, 1), bytes.subarray(1)];
    const { answers } = await sendRaw(port, pieces, { afterSend: 'end' });
    if (answers.length !== 1) run.found(`${answers.length} answers to a client that ends after its request`);
  });
  // The key is refused before the body arrives, and the body is invalid: still one response.
  await repeat(target, Math.ceil(run.amount.framings / 10), async () => {
    const head = 'POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const { answers } = await sendRaw(port, [Buffer.from(head), Buffer.from('zz\r\nx\r\n')], {
      afterSend: 'wait',
      pauseMs: 30,
    });
    if (answers.length !== 1) run.found(`${answers.length} answers to one request whose body is none`);
  });
}

/** Idle connections: those that were used before must be served again. */
export async function attackWithIdleness(target: Target, holdMs: number): Promise<number> {
  const { run, port } = target;
  const sockets: Socket[] = [];
  let opened = 0;
  await repeat(target, run.amount.idle, async (index) => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    socket.on('error', () => {});
    sockets[index] = socket;
    await once(socket, 'connect').catch(() => run.found('a connection that was refused'));
    opened += 1;
    if (index % 2 === 0 && !(await isServed(socket, target))) run.found('a new connection that is not served');
  });
  await delay(holdMs);
  await repeat(target, opened, async (index) => {
    const socket = sockets[index];
    if (socket === undefined || run.isOver()) return;
    if (!(await isServed(socket, target))) run.found('a connection that was idle is not served any more');
  });
  for (const socket of sockets) socket?.destroy();
  return opened;
}

async function isServed(socket: Socket, target: Target): Promise<boolean> {
  if (socket.destroyed) return false;
  socket.write(read(target));
  let received = Buffer.alloc(0);
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(false), 15_000);
    const settle = (isServed: boolean): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      resolve(isServed);
    };
    const onClose = () => settle(false);
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const parsed = parseReply(received);
      if (parsed !== null) settle(parsed.reply.status === 200);
    };
    socket.on('data', onData).on('close', onClose);
  });
}

/** Connections that open and close quickly, some with invalid bytes. */
export async function attackWithFlood(target: Target): Promise<number> {
  const { run, port } = target;
  return repeat(target, run.amount.flood, async () => {
    const kind = run.random.int(0, 3);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    const closed = new Promise((resolve) => {
      socket.on('close', resolve);
    });
    if (kind === 0) socket.destroy();
    else
      socket.on('connect', () => {
        if (kind === 1) socket.resetAndDestroy();
        else if (kind === 2) socket.end('\x16\x03\x01\x00\xc8');
        else socket.write(read(target), () => socket.resetAndDestroy());
      });
    await closed;
  });
}

const timeouts = { headersMs: 10_000, requestMs: 30_000 };
/** Timeouts are checked once per second, on a busy machine. */
const slackMs = 8000;

/** Requests that arrive one byte at a time or not at all: each must end by the timeout that applies. */
export async function attackSlowly(target: Target): Promise<number> {
  const { run } = target;
  const body = create(target, forbiddenNames.half);
  const chunks = `POST /api/v1/agents HTTP/1.1\r\n${headOf(target)}Transfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(500)}`;
  const longHead = `GET /api/v1/agents HTTP/1.1\r\n${headOf(target)}X: ${'y'.repeat(500)}`;
  const bodyStart = body.indexOf('\r\n\r\n') + 4;
  const kinds: { title: string; first: string; rest: string; maxMs: number }[] = [
    { title: 'nothing at all', first: '', rest: '', maxMs: timeouts.headersMs },
    { title: 'a slow head', first: '', rest: longHead, maxMs: timeouts.headersMs },
    { title: 'half a head', first: longHead.slice(0, 60), rest: '', maxMs: timeouts.headersMs },
    { title: 'a slow head after a request', first: read(target), rest: longHead, maxMs: timeouts.headersMs },
    { title: 'a slow head with a request before it', first: read(target) + longHead.slice(0, 9), rest: longHead.slice(9), maxMs: timeouts.headersMs },
    { title: 'a slow body', first: body.slice(0, bodyStart).replace(/Content-Length: \d+/, 'Content-Length: 5000'), rest: ' '.repeat(500), maxMs: timeouts.requestMs },
    { title: 'half a body', first: body.slice(0, -5), rest: '', maxMs: timeouts.requestMs },
    { title: 'slow chunks', first: chunks.slice(0, chunks.indexOf('\r\n\r\n') + 4), rest: '1\r\n \r\n'.repeat(80), maxMs: timeouts.requestMs },
    { title: 'a slow body after a request', first: read(target), rest: body.slice(0, -5), maxMs: timeouts.requestMs },
  ]; // biome-ignore format: a table
  await Promise.all(
    Array.from({ length: run.amount.slow }, async (_, index) => {
      const { title, first, rest, maxMs } = kinds[index % kinds.length] as (typeof kinds)[number];
      const start = performance.now();
      const pieces = [...(first === '' ? [] : [Buffer.from(first)]), ...[...rest].map((text) => Buffer.from(text))];
      const options = { afterSend: 'wait', pauseMs: 100, maxMs: maxMs + slackMs } as const;
      const { answers, isStillOpen } = await sendRaw(target.port, pieces, options);
      if (isStillOpen) run.found(`${title}: not ended after ${Math.round((performance.now() - start) / 1000)} s`);
      const issue = answers.map(issueWith).find((found) => found !== undefined);
      if (issue !== undefined) run.found(`${title}: ${issue}`);
      if (answers.some(({ status }) => status === 201)) run.found(`${title}: executed`);
    }),
  );
  return run.amount.slow;
}
