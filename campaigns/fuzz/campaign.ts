import { startProcess } from '../../test/support/process.ts';
import { AbortedRun, defineCampaign, type Run } from '../campaign.ts';
import { Connection, CutError } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import { residentMiB } from '../process-figures.ts';
import { carrierSettings, fuzzCarrier } from './carrier.ts';
import { readDocument } from './document.ts';
import { fuzzFiles } from './files.ts';
import { Harvest } from './harvest.ts';
import { judge } from './judge.ts';
import { type FuzzRequest, RequestMaker } from './requests.ts';

const connections = 64;
/** Node's parser rejects longer headers, and the response may then be lost with the unread rest. */
const maxHead = 16_000;
/** Until then the memory of the process still grows. */
const requestsUntilSettled = 50_000;
const maxGrowth = { factor: 1.3, mib: 100 };
const examplesOfEach = 3;

/** `webhooks` and `sockets`: those of a carrier. `files`: of knowledge bases. */
type Amount = {
  readonly requests: number;
  readonly webhooks: number;
  readonly sockets: number;
  readonly files: number;
};

export const fuzz = defineCampaign({
  name: 'fuzz',
  about:
    'Requests generated from openapi.json, and those of a carrier with its media sockets, half of them invalid, and hostile files of knowledge bases: all responses are as documented, nothing without the right signature is stored, every document settles, and memory does not grow.',
  runsOn: ['sqlite', 'postgres'],
  amounts: {
    full: { requests: 1_000_000, webhooks: 50_000, sockets: 3000, files: 2000 },
    fullOnPostgres: { requests: 150_000, webhooks: 20_000, sockets: 1000, files: 300 },
    small: { requests: 3000, webhooks: 300, sockets: 16, files: 24 },
  },
  run: runFuzz,
});

async function runFuzz(run: Run<Amount>) {
  const databaseUrl = await run.newDatabaseUrl();
  const [main, narrow] = await makeKeys(databaseUrl, [
    { workspace: 'fuzz' },
    { workspace: 'fuzz', scopes: ['audit:read'] },
  ]);
  if (main === undefined || narrow === undefined) throw new Error('no keys were made');
  const service = await startProcess({
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    CALL_RATE: 'off',
    CALL_CONCURRENCY: '100000',
    ...carrierSettings,
  });
  run.atEnd(() => service.end('SIGKILL'));

  const documented = readDocument();
  const harvest = new Harvest();
  const maker = new RequestMaker(documented, harvest, { main: main.secret, narrow: narrow.secret }, run.random);
  const report = createReporter(run);
  const statuses = new Map<number, number>();
  const memory: number[] = [];
  let sent = 0;
  let answered = 0;
  let untouched = 0;
  let cut = 0;

  const attack = async (): Promise<void> => {
    const connection = new Connection(service.port);
    while (sent < run.amount.requests && !run.isOver()) {
      const request = maker.next();
      sent += 1;
      if (request.isUntouched) untouched += 1;
      try {
        const reply = await connection.sendBytes(request.bytes, { isHead: request.method === 'HEAD' });
        answered += 1;
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        const { operation, body, issues } = judge(documented, request, reply);
        for (const issue of issues) report(issue, request);
        if (operation !== undefined && body !== undefined) harvest.learn(operation, reply, body);
      } catch (error) {
        if (!(error instanceof CutError)) throw error;
        cut += 1;
        if (service.child.exitCode !== null || service.child.signalCode !== null)
          throw new AbortedRun(`the service has ended:\n${service.output()}`);
        if (request.headLength < maxHead) report(`no answer: ${error.message}`, request);
      }
      if (sent % Math.ceil(run.amount.requests / 400) === 0) memory.push(residentMiB(service.child.pid as number));
      if (sent % 1000 === 0) run.showProgress(`${sent} requests`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, attack));

  const { random, found, isOver } = run;
  const { webhooks, sockets, files } = run.amount;
  const ofFiles = await fuzzFiles({ run: { random, found, isOver }, port: service.port, key: main.secret, files });
  const access = { port: service.port, key: main.secret, databaseUrl };
  const ofCarrier = await fuzzCarrier({ run: { random, found, isOver }, ...access, webhooks, sockets });

  const own = await new Connection(service.port).request('GET', '/api/v1/whoami', { key: main.secret });
  if (own.status !== 200) run.found(`the campaign has lost its own key: ${own.status}`);
  for (const line of errorLines(service.output())) run.found(`the log has an error: ${line}`);
  const before = median(memory.slice(memory.length / 4, memory.length / 2));
  const after = median(memory.slice((memory.length * 3) / 4));
  const isSettled = sent >= requestsUntilSettled;
  if (isSettled && after > before * maxGrowth.factor && after > before + maxGrowth.mib)
    run.found(`memory grew from ${Math.round(before)} to ${Math.round(after)} MiB`);
  return {
    requests: sent,
    answered,
    'as documented': untouched,
    accepted: countOf(statuses, (status) => status < 400),
    refused: countOf(statuses, (status) => status >= 400 && status < 500),
    '5xx': countOf(statuses, (status) => status >= 500),
    'cut for a long head': cut,
    statuses: [...statuses.keys()].sort().join(' '),
    ...ofCarrier,
    ...ofFiles,
    'MiB in the second quarter': before,
    'MiB in the last': after,
  };
}

/** Reports the first finding of each kind with its request, and counts the others. */
function createReporter(run: Run<Amount>) {
  const seen = new Map<string, number>();
  return (issue: string, request: FuzzRequest): void => {
    const times = (seen.get(issue) ?? 0) + 1;
    seen.set(issue, times);
    run.found(times <= examplesOfEach ? `${issue}; sent: ${shown(request.bytes)}` : `${issue}, and more of it`);
  };
}

function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1', 0, 1000).replaceAll(/vak_\w+/g, 'KEY'));
}

/** Error lines of the log, and lines that are not log lines. */
function errorLines(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line) || /^\s+at /.test(line))
    .slice(0, 5);
}

function countOf(statuses: ReadonlyMap<number, number>, isMeant: (status: number) => boolean): number {
  return [...statuses].reduce((sum, [status, count]) => sum + (isMeant(status) ? count : 0), 0);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
