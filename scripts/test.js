/**
 * `npm test` installs what is missing, then runs the tests, or those in the given files. `npm run test:quick` is for use
 * while editing, `npm run test:full` for before a release; `--rest` runs what `test:full` has in addition to `npm test`,
 * `--speech` those of `npm test` that speak or listen, and `--stress` both many times on a busy machine.
 * The location of a test decides in which of them it runs: see the table in CONTRIBUTING.md.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureChromium } from './chromium.js';
import { compileCache, ensureInstalled, root, runProcess, suitableNode } from './install.js';
import { ensureProxies } from './proxies.js';
import { runStress } from './stress.js';

/** Conversations and what follows them, in a service of the same process. */
const inService = /^areas\/(analysis|calls|webhooks)\//;
const fromOutside = ['acceptance', 'as-code', 'backup', 'cli', 'dashboard', 'mcp', 'sdk'];
const long = ['campaigns', 'documentation'];
const withBrowser = ['test/dashboard/pages.test.ts'];

/** They record and play in real time, so nothing else may run beside them. */
const withMicrophone = /^(dashboard\/try-spoken|sdk\/web\/[^/]+)\.browser\.ts$/;

const ofSpeech =
  /^(areas\/calls\/live\/|voice\/(audio|providers|spoken|turn)\/|areas\/providers\/|sdk\/web\/|dashboard\/(recording|sp)[^/]+$)/;

function tierOf(file) {
  const [folder] = file.split('/');
  if (withMicrophone.test(file)) return 'microphone';
  if (/(\.browser|-long\.test)\.ts$/.test(file) || long.includes(folder)) return 'long';
  if (fromOutside.includes(folder) || file.endsWith('-e2e.test.ts')) return 'outside';
  return inService.test(file) ? 'inside' : 'unit';
}

/** Sequentially, so that measurements of a running service are not disturbed. */
const stagesOf = {
  '--quick': [['unit']],
  '--default': [['unit', 'inside', 'outside']],
  '--full': [['unit', 'inside', 'outside'], ['long'], ['microphone']],
  '--rest': [['long'], ['microphone']],
  '--speech': [['unit', 'inside', 'outside']],
};

function filesOf(tiers, pattern = /^/) {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(test|browser)\.ts$/.test(name) && tiers.includes(tierOf(name)) && pattern.test(name))
    .map((name) => `test/${name}`)
    .sort();
}

/**
 * Most of the time of a small test file is that of loading the service, so several share a process. Those that start
 * processes themselves take longer, as do tests on both engines, and fewer of them share one. Those with a browser have
 * one each.
 */
function withShared(files) {
  const folder = join(root, 'node_modules', '.cache', 'voice-agents-tests');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const shared = (name, group, size) =>
    group.flatMap((_, start) => {
      if (start % size !== 0) return [];
      const file = join(folder, `${name}-${String(start).padStart(4, '0')}.test.js`);
      const imports = group.slice(start, start + size).map((path) => pathToFileURL(join(root, path)).href);
      writeFileSync(file, imports.map((url) => `import '${url}';\n`).join(''));
      return [file];
    });
  const isShared = (file, tiers) => !withBrowser.includes(file) && tiers.includes(tierOf(file.slice('test/'.length)));
  const inside = files.filter((file) => isShared(file, ['unit', 'inside']));
  const outside = files.filter((file) => isShared(file, ['outside']));
  const alone = files.filter((file) => !inside.includes(file) && !outside.includes(file));
  return [...alone, ...shared('outside', outside, 4), ...shared('inside', inside, 16)];
}

/** Where SQLite databases need not wait for a disk; in a container it may be too small. */
function memoryFolder() {
  const folder = '/dev/shm';
  if (!existsSync(folder)) return null;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= 4 * 1024 ** 3 ? folder : null;
}

function run(files, { isQuick = false, concurrency = 4 } = {}) {
  const setup = isQuick ? [] : ['--test-global-setup=test/support/postgres-server.ts'];
  const args = ['--test', ...setup, '--test-timeout=120000', `--test-concurrency=${concurrency}`, ...files];
  const databases = memoryFolder();
  return runProcess(suitableNode(), args, {
    // Every file is a separate process: they share the compile cache.
    NODE_COMPILE_CACHE: compileCache,
    ...(isQuick ? { TEST_QUICK: 'true' } : {}),
    ...(databases === null ? {} : { TEST_DATABASE_FOLDER: databases }),
    ...process.env,
  });
}

ensureInstalled('develop');
process.chdir(root);
const [first = '--default', ...more] = process.argv.slice(2);
const stages = stagesOf[first];
if (first === '--stress') {
  process.exitCode = await runStress(...more);
} else if (stages === undefined) {
  // For a quick run by hand: files that need a browser report it if there is none.
  process.exitCode = await run([first, ...more]);
} else {
  const isQuick = first === '--quick';
  if (!isQuick) ensureChromium();
  if (stages.flat().includes('long')) ensureProxies();
  for (const tiers of stages) {
    const concurrency = tiers.includes('microphone') ? 1 : tiers.includes('long') ? 2 : isQuick ? 3 : 4;
    const files = filesOf(tiers, first === '--speech' ? ofSpeech : undefined);
    process.exitCode ||= await run([...more, ...withShared(files)], { isQuick, concurrency });
    if (process.exitCode !== 0) break;
  }
}
