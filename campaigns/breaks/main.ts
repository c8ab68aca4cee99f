/**
 * `npm run campaign:breaks`: injects faults into a copy of the service, one at a time, and expects the small version of
 * a campaign to detect each.
 *
 *   npm run campaign:breaks -- [CAMPAIGN…]
 *
 * Exits with 1 if a fault was not detected.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyBreak } from './apply.ts';
import type { Break } from './break.ts';
import { allBreaks } from './index.ts';

const root = join(import.meta.dirname, '..', '..');
const copied = [
  'src',
  'sdk',
  'scripts',
  'bin',
  'campaigns',
  'test',
  'examples',
  'package.json',
  'package-lock.json',
  'openapi.json',
  'dashboard/built',
  'reference',
];
/** Campaigns are randomized: a fault counts as detected if one of these runs finds it. */
const attempts = 3;
const maxRunMs = 420_000;

const wanted = process.argv.slice(2);
const chosen = Object.entries(allBreaks)
  .filter(([campaign]) => wanted.length === 0 || wanted.includes(campaign))
  .flatMap(([campaign, breaks]) => breaks.map((fault) => ({ campaign, fault })));
let unnoticed = 0;
for (const { campaign, fault } of chosen) {
  const finding = findingOf(campaign, fault);
  if (finding === null) unnoticed += 1;
  const result = finding === null ? 'NOT NOTICED' : `found: ${finding.slice(0, 160)}`;
  process.stdout.write(`${campaign} (${fault.engine}), ${fault.about}\n  ${result}\n`);
}
process.stdout.write(`\n${chosen.length - unnoticed} of ${chosen.length} breaks were found\n`);
process.exitCode = unnoticed === 0 ? 0 : 1;

/** The finding of the campaign, or null if it finds nothing. */
function findingOf(campaign: string, fault: Break): string | null {
  const copy = mkdtempSync(join(tmpdir(), 'voice-agents-break-'));
  try {
    for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    applyBreak(fault, copy);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const finding = runSmall(campaign, fault, copy);
      if (finding !== null) return finding;
    }
    return null;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function runSmall(campaign: string, { engine }: Break, folder: string): string | null {
  const engineArguments = engine === 'both' ? [] : ['--engine', engine];
  const args = [join(folder, 'campaigns', 'main.ts'), campaign, '--small', '--no-row', ...engineArguments];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: maxRunMs,
  });
  const finding = /FOUND: (.+)/.exec(stdout)?.[1];
  if (status === 0) return null;
  // A fault that keeps the service from starting, or the program from loading, proves nothing.
  if (finding === undefined || finding.includes('the service did not start')) {
    throw new Error(`the run itself failed:\n${stdout}\n${stderr}`);
  }
  return finding;
}
