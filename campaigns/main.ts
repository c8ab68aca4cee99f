/**
 * `npm run campaign`: attacks running services and reports its findings.
 *
 *   npm run campaign -- [NAME…] [--engine sqlite|postgres] [--minutes 60] [--seed 4711] [--small] [--no-row]
 *
 * Exits with 1 if there are findings.
 */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { createPostgresServer } from '../test/support/postgres-server.ts';
import { campaigns } from './index.ts';
import { describeFigures, describeTime, record, testedCommit } from './record.ts';
import { type Outcome, runCampaign } from './runner.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string' },
    small: { type: 'boolean', default: false },
    'no-row': { type: 'boolean', default: false },
  },
});
const chosen = positionals.length === 0 ? campaigns : campaigns.filter(({ name }) => positionals.includes(name));
const unknown = positionals.filter((name) => !campaigns.some((campaign) => campaign.name === name));
const minutes = Number(values.minutes);
const givenSeed = values.seed === undefined ? null : Number(values.seed);
if (unknown.length > 0) stop(`there is no campaign ${unknown.join(', ')}`);
if (!(minutes > 0)) stop('--minutes must be a number above 0');
if (givenSeed !== null && !Number.isInteger(givenSeed)) stop('--seed must be a whole number');
if (values.engine !== undefined && !['sqlite', 'postgres'].includes(values.engine))
  stop('--engine must be sqlite or postgres');

// For the services, too: they are started hundreds of times.
const compileCache = getCompileCacheDir();
if (compileCache !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(compileCache);
const postgres = await createPostgresServer();
process.env.TEST_POSTGRES_URL = postgres.url;
let failedRuns = 0;
try {
  for (const campaign of chosen) {
    for (const engine of campaign.runsOn) {
      if (values.engine !== undefined && engine !== 'both' && engine !== values.engine) continue;
      const seed = givenSeed ?? Math.floor(Math.random() * 2 ** 31);
      process.stdout.write(`\n${campaign.name} on ${engine}, seed ${seed}\n  ${campaign.about}\n`);
      const size = values.small ? 'small' : 'full';
      const showProgress = showLine(performance.now());
      // Before the run: somebody may commit meanwhile.
      const commit = testedCommit();
      const outcome = await runCampaign(campaign, { engine, seed, size, maxMs: minutes * 60_000, showProgress });
      print(outcome);
      if (outcome.findings.length > 0) failedRuns += 1;
      if (!values['no-row'] && !values.small) record(outcome, commit);
    }
  }
} finally {
  await postgres.remove();
}
process.exitCode = failedRuns === 0 ? 0 : 1;

/** Overwrites the progress line on a terminal; otherwise prints a line every ten seconds. */
function showLine(start: number): (text: string) => void {
  const { stderr } = process;
  let shownMs = start;
  return (text) => {
    const now = performance.now();
    if (now - shownMs < (stderr.isTTY ? 200 : 10_000)) return;
    shownMs = now;
    const line = `  ${describeTime(now - start)}: ${text}`;
    stderr.write(stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  };
}

function print({ figures, findings, tookMs, isCutShort }: Outcome): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const lines = Object.entries(figures).map(([name, value]) => `    ${name}: ${describeFigures({ '': value }).trim()}`);
  const cut = isCutShort ? ', cut short as the time was up' : '';
  process.stdout.write(`${lines.join('\n')}\n  took ${describeTime(tookMs)}${cut}\n`);
  if (findings.length === 0) process.stdout.write('  found nothing\n');
  for (const finding of findings.slice(0, 20)) process.stdout.write(`  FOUND: ${finding}\n`);
  if (findings.length > 20) process.stdout.write(`  … and ${findings.length - 20} more\n`);
}

function stop(message: string): never {
  process.stderr.write(`${message}\nCampaigns: ${campaigns.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}
