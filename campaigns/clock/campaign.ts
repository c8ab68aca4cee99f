import { setTimeout as delay } from 'node:timers/promises';
import { defineCampaign, type Run } from '../campaign.ts';
import { Connection } from '../connection.ts';
import { type MadeKey, makeKeys } from '../keys.ts';
import { Ends } from './ends.ts';
import { checkWindow, rate, stepsInWindow } from './limits.ts';
import { Caller } from './order.ts';
import { ClockedService } from './service.ts';

const callers = 4;
const limited = 6;
const day = 86_400_000;

type Amounts = { steps: number; ends: number };

export const clock = defineCampaign({
  name: 'clock',
  about:
    'Sets the clock forward and back by seconds and years, or stops it, under load: order, expiry, rate limits and revocations stay correct.',
  runsOn: ['sqlite', 'postgres'],
  amounts: { full: { steps: 600, ends: 40 }, small: { steps: 30, ends: 1 } },
  run: async (run: Run<Amounts>) => {
    const databaseUrl = await run.newDatabaseUrl();
    const names = ['ends', 'revocations', ...Array.from({ length: callers }, (_, index) => `caller ${index}`)];
    // Each window needs a new key and takes several steps.
    const windows = Math.ceil(run.amount.steps / stepsInWindow) + limited;
    const keys = await makeKeys(
      databaseUrl,
      [...names, ...Array<string>(windows).fill('limited')].map((workspace) => ({ workspace })),
    );
    const [endsKey, revocationsKey, ...callerKeys] = keys.splice(0, names.length) as [MadeKey, MadeKey, ...MadeKey[]];
    const settings = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn', RATE_LIMIT: 'off' };
    const limits = { ...settings, RATE_LIMIT: `${rate.requests}/${rate.windowSeconds}s` };
    const start = async (given: Record<string, string>, offsetMs = 0) => {
      const service = await ClockedService.start(given, offsetMs);
      run.atEnd(() => service.process.end('SIGTERM'));
      return service;
    };
    // On PostgreSQL the two rate-limited instances share a count, each with its own drifting clock.
    const [loaded, ...limiting] = await Promise.all([
      start(settings),
      start(limits),
      ...(run.engine === 'postgres' ? [start(limits)] : []),
    ]);
    const connect = ({ process }: ClockedService) => {
      const connection = new Connection(process.port);
      run.atEnd(() => connection.close());
      return connection;
    };
    const services = [loaded, ...limiting];
    const stepsSoFar = () => services.reduce((sum, { steps }) => sum + steps, 0);
    const isDone = () => stepsSoFar() >= run.amount.steps || run.isOver();
    const figures = { steps: 0, requests: 0, admitted: 0, refused: 0, windows: 0, ends: 0, revocations: 0 };

    const acting = callerKeys.map((key) => new Caller(connect(loaded), key, run, run.random.fork()));
    const act = async (caller: Caller) => {
      while (!isDone()) await caller.act();
    };
    const stepping = run.random.fork();
    const step = async () => {
      while (!isDone()) {
        await loaded.stepAtRandom(stepping);
        run.showProgress(`${stepsSoFar()} steps`);
        await delay(stepping.int(20, 200));
      }
    };
    const revocations = new Ends(loaded, connect(loaded), revocationsKey.secret, run, run.random.fork());
    const checkRevocations = async () => {
      do {
        await revocations.checkRevocation();
        figures.revocations += 1;
      } while (!isDone());
    };
    const checkRates = async () => {
      const connections = limiting.map(connect);
      const random = run.random.fork();
      for (let key = keys.pop(); key !== undefined && !isDone(); key = keys.pop()) {
        const stepOne = () => random.pick(limiting).stepAtRandom(random);
        const { admitted, refused } = await checkWindow(connections, key.secret, run, stepOne);
        figures.windows += 1;
        figures.admitted += admitted;
        figures.refused += refused;
      }
    };
    await Promise.all([step(), checkRevocations(), ...acting.map(act), ...Array.from({ length: limited }, checkRates)]);

    // A start with a clock behind the data in the database: ids restart there, and lists must stay complete.
    await loaded.process.end('SIGTERM');
    const behind = await start(settings, Math.min(0, loaded.offsetMs) - 2 * day);
    const going = acting.map((caller) => caller.after(connect(behind)));
    for (const caller of going) {
      await caller.walk();
      for (let count = 0; count < 15; count += 1) await caller.act();
      await caller.walk();
    }
    const ends = new Ends(behind, connect(behind), endsKey.secret, run, run.random.fork());
    services.push(behind);
    do {
      await ends.checkAll();
      figures.ends += 1;
    } while (figures.ends < run.amount.ends && !run.isOver());
    figures.steps = stepsSoFar();
    figures.requests = [...acting, ...going].reduce((sum, { requests }) => sum + requests, 0);
    return figures;
  },
});
