import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { findCollector } from '../../scripts/collector.js';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { type ReceivedSpan, spansIn } from './otlp.ts';
import { httpReceiver } from './receiver.ts';

const program = findCollector();

/** An option of tests: skips those that need a real collector. */
export const withCollector = { skip: program === undefined ? 'Rotel is not installed: see npm test' : false };

export interface TestCollector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  /** What the collector has passed on so far, in its own encoding. */
  readonly spans: ReceivedSpan[];
  /** Everything that it has passed on so far. */
  readonly bodies: Buffer[];
  /** The spans of a trace, once its root is there. */
  trace(traceId: string): Promise<ReceivedSpan[]>;
}

const stops: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const stop of stops) await stop();
});

/** Rotel, which reads what it is sent and sends it on to this process, until the tests of the file are over. */
export async function startCollector(): Promise<TestCollector> {
  const [spans, bodies]: [ReceivedSpan[], Buffer[]] = [[], []];
  const { port: target } = await httpReceiver(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = Buffer.concat(chunks);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(received) : received;
    bodies.push(body);
    spans.push(...spansIn(body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  const [port, grpcPort] = [await freePort(), await freePort()];
  const options = {
    'otlp-http-endpoint': `127.0.0.1:${port}`,
    'otlp-grpc-endpoint': `127.0.0.1:${grpcPort}`,
    exporter: 'otlp',
    'otlp-exporter-protocol': 'http',
    'otlp-exporter-endpoint': `http://127.0.0.1:${target}`,
    'batch-timeout': '50ms',
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(program as string, ['start', ...args], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  stops.push(() => {
    child.kill('SIGKILL');
    return ended;
  });
  await eventually(() => isListening(port));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    trace: (traceId) =>
      eventually(async () => {
        const found = spans.filter((span) => span.traceId === traceId);
        return found.some(({ parentId }) => parentId === null) && found;
      }),
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}
