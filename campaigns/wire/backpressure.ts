import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connectionsOn } from '../../test/support/tcp-connections.ts';
import type { Run } from '../campaign.ts';
import { Connection, parseReply, requestBytes } from '../connection.ts';
import type { Amount } from './attacks.ts';
import { type Measured, publicPages, Subject } from './subject.ts';

/** The maximum response time for other clients during an attack. */
const maxWaitMs = 1000;
const maxWaitBesideManyMs = 5000;
const maxGrowthMiB = 100;
const maxResidentMiB = 400;
/** A write without progress ends after 30 seconds, and timeouts are checked once per second. */
const maxStalledMs = 40_000;
const maxConnections = 10_000;
const bodyBudgetMiB = 256;
const slowBody = Buffer.alloc(1_000_000, ' ');

const requests = ['/', '/api/v1/agents', '/nothing'].map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n\r\n`));
/** Together just below the 8 MiB limit of a page. */
const longAgents = 41;
const longPrompt = 'x'.repeat(200_000);
const maxLimit = 200;

/** What a client does after its last byte. */
type Ending = 'close' | 'half-close' | 'hold';

interface Pipeline {
  readonly megabytes: number;
  readonly request?: Buffer;
  readonly connections?: number;
  readonly ending: Ending;
}

interface Scene {
  readonly run: Run<Amount>;
  readonly subject: Subject;
  readonly key: string;
  readonly isFull: boolean;
}

/** Clients that do not read their responses: the service must buffer little for them and serve others as before. */
export async function attackWithoutReading(
  run: Run<Amount>,
  { databaseUrl, key }: { databaseUrl: string; key: string },
): Promise<Record<string, number>> {
  const isFull = run.amount.slow > 0;
  const { pipelineMB, longPipelineMB, pipelineClients } = run.amount;
  const scene: Scene = { run, subject: await Subject.start(run, databaseUrl), key, isFull };
  const visitors = await stallVisitors(scene);
  const pages = await stallPages(scene);
  if (isFull) {
    await sendUnread(scene, { megabytes: pipelineMB, ending: 'half-close' });
    for (const request of requests) await sendUnread(scene, { megabytes: pipelineMB, request, ending: 'hold' });
    await sendUnread(scene, { megabytes: pipelineMB, connections: pipelineClients, ending: 'close' });
    await sendSlowBodies(scene);
    await openTooMany(scene);
    await terminateDuring(scene, { megabytes: longPipelineMB, ending: 'hold' });
    await scene.subject.restart();
  }
  const pipeline = await sendUnread(scene, { megabytes: isFull ? longPipelineMB : pipelineMB, ending: 'close' });
  await scene.subject.terminate('after an unread pipeline');
  return {
    'longest wait beside an unread pipeline, ms': pipeline.health.maxMs,
    'MiB for it': pipeline.memory.most - pipeline.memory.before,
    'longest wait beside stalled clients, ms': visitors.health.maxMs,
    'MiB for them': visitors.memory.most - visitors.memory.before,
    'MiB with stalled pages': pages.memory.most,
  };
}

/** Pipelined requests on a connection that is not read. */
async function sendUnread(scene: Scene, pipeline: Pipeline): Promise<Measured> {
  const { connections = 1 } = pipeline;
  const measured = await scene.subject.measure(async () => {
    const sockets = await sendPipelines(scene, pipeline);
    await delay(scene.isFull ? 3000 : 300);
    for (const socket of sockets) socket.destroy();
  });
  const maxMs = connections > 1 ? maxWaitBesideManyMs : undefined;
  await judge(scene, describe(pipeline), measured, { maxMs, maxGrowthMiB: connections > 1 ? undefined : maxGrowthMiB });
  return measured;
}

async function sendPipelines({ subject, isFull }: Scene, pipeline: Pipeline): Promise<Socket[]> {
  const { megabytes, request = requests[0] as Buffer, connections = 1, ending } = pipeline;
  const bytes = Buffer.alloc(Math.floor((megabytes * 1e6) / request.length) * request.length, request);
  const sockets = Array.from({ length: connections }, () => openUnread(subject.port));
  const written = sockets.map((socket) => new Promise((resolve) => socket.write(bytes, resolve)));
  // With backpressure the service does not accept all of it.
  await Promise.race([Promise.all(written), delay(isFull ? 3000 : 1000)]);
  for (const socket of sockets) {
    if (ending === 'close') socket.destroy();
    else if (ending === 'half-close') socket.end();
  }
  return sockets;
}

async function terminateDuring(scene: Scene, pipeline: Pipeline): Promise<void> {
  const sockets = await sendPipelines(scene, pipeline);
  await scene.subject.terminate(describe(pipeline));
  for (const socket of sockets) socket.destroy();
}

function describe({ megabytes, connections = 1, ending }: Pipeline): string {
  const clients = connections > 1 ? ` on each of ${connections} connections` : '';
  return `${megabytes} MB of requests${clients}, unread, then ${ending}`;
}

/** Clients without a key that request a page and stop reading. */
async function stallVisitors(scene: Scene): Promise<Measured> {
  const { run, subject, isFull } = scene;
  const count = run.amount.stalledVisitors;
  const measured = await subject.measure(async () => {
    const sockets: Socket[] = [];
    for (let index = 0; index < count; index += 1) {
      const socket = openUnread(subject.port);
      socket.write(requestBytes('GET', publicPages[index % publicPages.length] as string));
      sockets.push(socket);
      // The attack is the stalling, not the connection rate.
      if (index % 100 === 99) await delay(40);
    }
    await delay(isFull ? 10_000 : 200);
    for (const socket of sockets) socket.destroy();
  });
  await judge(scene, `${count} clients that ask for a page and do not read it`, measured, { maxGrowthMiB });
  return measured;
}

/** Clients that request the longest pages and stop reading. */
async function stallPages(scene: Scene): Promise<Measured> {
  const { run, subject, key, isFull } = scene;
  const count = run.amount.stalledPages;
  await makeLongAgents(scene);
  const sockets: Socket[] = [];
  const measured = await subject.measure(async () => {
    for (let index = 0; index < count; index += 1) {
      const socket = openUnread(subject.port);
      // A different limit for each, so that no two can share a page.
      const limit = longAgents + (index % (maxLimit - longAgents + 1));
      socket.write(requestBytes('GET', `/api/v1/agents?limit=${limit}`, { key }));
      sockets.push(socket);
    }
    await delay(isFull ? 10_000 : 800);
  });
  const title = `${count} clients that do not read a page of 8 MiB`;
  if (measured.memory.most > maxResidentMiB)
    run.found(`${title}: the service takes ${Math.round(measured.memory.most)} MiB`);
  await judge(scene, title, measured, {});
  if (isFull) {
    await Promise.all(sockets.map(closeIfRefused));
    await waitForStalledEnd(scene, title);
  } else {
    for (const outcome of await Promise.all(sockets.map(readStalledPage))) if (outcome !== null) run.found(outcome);
  }
  for (const socket of sockets) socket.destroy();
  return measured;
}

/** A refusal is short and fully sent, so its connection is idle, not stalled. The other clients keep not reading. */
function closeIfRefused(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', resolve);
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      if (chunk.toString('latin1', 0, 12) === 'HTTP/1.1 503') socket.destroy();
      else resolve();
    });
    socket.resume();
  });
}

async function waitForStalledEnd({ run, subject }: Scene, title: string): Promise<void> {
  const deadline = performance.now() + maxStalledMs;
  // The probe opens a connection from time to time.
  while (connectionsOn(subject.port) > 2) {
    if (performance.now() > deadline) {
      run.found(`${title}: ${connectionsOn(subject.port)} of them are still open after ${maxStalledMs / 1000} s`);
      return;
    }
    await delay(200);
  }
}

/** The problem with the response that a client finally reads; null if it is complete, be it the page or a 503. */
function readStalledPage(socket: Socket): Promise<string | null> {
  const chunks: Buffer[] = [];
  let [received, expected] = [0, Number.POSITIVE_INFINITY];
  return new Promise((resolve) => {
    socket.once('close', () => resolve('a page that is read late is cut off'));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      received += chunk.length;
      if (expected === Number.POSITIVE_INFINITY) expected = lengthOf(Buffer.concat(chunks));
      if (received < expected) return;
      const status = parseReply(Buffer.concat(chunks))?.reply.status;
      resolve(status === 200 || status === 503 ? null : `a page that is read late is answered ${status}`);
      socket.destroy();
    });
    socket.resume();
  });
}

/** The length of the whole response, according to its headers. */
function lengthOf(bytes: Buffer): number {
  const head = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n') + 4);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return length === undefined ? Number.POSITIVE_INFINITY : head.length + Number(length);
}

/** More connections than the service accepts: the others are closed, and new ones are accepted when some are gone. */
async function openTooMany(scene: Scene): Promise<void> {
  const { run, subject } = scene;
  const sockets: Socket[] = [];
  let closed = 0;
  for (let index = 0; index < run.amount.connections; index += 1) {
    const socket = openUnread(subject.port).resume();
    socket.once('close', () => {
      closed += 1;
    });
    sockets.push(socket);
    if (index % 100 === 99) await delay(20);
  }
  const excess = run.amount.connections - maxConnections;
  for (let waited = 0; closed < excess && waited < 100; waited += 1) await delay(100);
  if (closed < excess) run.found(`${closed} of ${run.amount.connections} connections are closed, instead of ${excess}`);
  // The probe opens a connection from time to time, which exists for a moment before it is closed.
  const open = connectionsOn(subject.port);
  if (open > maxConnections + 10) run.found(`${open} connections are open at once`);
  for (const socket of sockets) socket.destroy();
  // The first requests may still meet connections that are being closed.
  await delay(2000);
  const { health } = await subject.measure(() => delay(1000));
  if (health.failures > 0) run.found('there is no room for new connections after others have gone');
}

/** Large bodies without their last byte: above the budget, further ones are refused. */
async function sendSlowBodies(scene: Scene): Promise<void> {
  const { run, subject, key } = scene;
  const count = run.amount.slowBodies;
  const headers = { 'Content-Length': String(slowBody.length + 1) };
  const bytes = requestBytes('POST', '/api/v1/agents', { key, headers, rawBody: slowBody });
  let refused = 0;
  const measured = await subject.measure(async () => {
    const sockets = Array.from({ length: count }, () => openUnread(subject.port).resume());
    for (const socket of sockets) {
      socket.once('data', (chunk: Buffer) => {
        if (chunk.toString('latin1', 9, 12) === '503') refused += 1;
      });
    }
    await Promise.race([
      Promise.all(sockets.map((socket) => new Promise((sent) => socket.write(bytes, sent)))),
      delay(10_000),
    ]);
    await delay(4000);
    for (const socket of sockets) socket.destroy();
  });
  const title = `${count} bodies of a megabyte that do not come to their end`;
  if (refused === 0) run.found(`${title}: none is refused`);
  // Chunks take more memory than their bytes.
  await judge(scene, title, measured, { maxMs: maxWaitBesideManyMs, maxGrowthMiB: 2 * bodyBudgetMiB + maxGrowthMiB });
}

async function judge(
  { run, subject, isFull }: Scene,
  title: string,
  { health, memory }: Measured,
  limits: { maxMs?: number | undefined; maxGrowthMiB?: number | undefined },
): Promise<void> {
  const maxMs = limits.maxMs ?? maxWaitMs;
  const growth = memory.most - memory.before;
  // The small version runs next to tests, which slow everything down.
  if (isFull && health.maxMs > maxMs) run.found(`${title}: others wait for ${Math.round(health.maxMs)} ms`);
  if (growth > (limits.maxGrowthMiB ?? Number.POSITIVE_INFINITY))
    run.found(`${title}: memory grows by ${Math.round(growth)} MiB`);
  run.showProgress(`${title}: ${Math.round(health.maxMs)} ms, ${Math.round(growth)} MiB`);
  if (health.failures === 0) return;
  run.found(`${title}: ${health.failures} requests of others are not answered`);
  await subject.restart();
}

/** Paused from the start, so that it reads nothing, not even into a buffer. */
function openUnread(port: number): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  return socket;
}

async function makeLongAgents({ subject, key }: Scene): Promise<void> {
  const connection = new Connection(subject.port);
  for (let count = 0; count < longAgents; count += 1) {
    const body = { name: `long ${count}`, voiceId: 'v', prompt: longPrompt };
    const { status } = await connection.request('POST', '/api/v1/agents', { key, body });
    if (status !== 201) throw new Error(`an agent could not be made: ${status}`);
  }
  connection.close();
}
