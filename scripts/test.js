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
import { ensureCollector } from './collector.js';
import { compileCache, ensureInstalled, root, runProcess, suitableNode } from './install.js';
import { ensureProxies } from './proxies.js';
import { runStress } from './stress.js';
import { ensureSwift } from './swift.js';

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
 * processes themselves take longer, and fewer of them share one. Neighbors take about as long as each other, so they are
 * dealt out like cards. The runner starts files in the order of their names: first the one with a browser, which takes
 * longest, and last the many that take about the same time, so that no processor waits for the end of another.
 */
function withShared(files) {
  const folder = join(root, 'node_modules', '.cache', 'voice-agents-tests');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const shared = (name, group, size) => {
    const count = Math.ceil(group.length / size);
    return Array.from({ length: count }, (_, index) => {
      const file = join(folder, `${name}-${String(index + 1).padStart(2, '0')}.test.js`);
      const urlOf = (path) => pathToFileURL(join(root, path)).href;
      const imports = group.filter((_, at) => at % count === index).map((path) => `import '${urlOf(path)}';\n`);
      const untracked = `import { stopTrackingPromises } from '${urlOf('test/support/untracked-promises.ts')}';\n`;
      const exit = `import { exitAfterTests } from '${urlOf('test/support/exit-after-tests.ts')}';\n`;
      writeFileSync(file, `${imports.join('')}${untracked}${exit}stopTrackingPromises();\nexitAfterTests();\n`);
      return file;
    });
  };
  const ofTiers = (...tiers) => files.filter((file) => tiers.includes(tierOf(file.slice('test/'.length))));
  const browser = files.filter((file) => withBrowser.includes(file));
  const outside = ofTiers('outside').filter((file) => !browser.includes(file));
  const inside = ofTiers('unit', 'inside');
  return [
    ...shared('0-long', ofTiers('long', 'microphone'), 1),
    ...shared('1-browser', browser, 1),
    ...shared('2-outside', outside, 6),
    ...shared('3-inside', inside, 16),
  ];
}

/** Where databases need not wait for a disk; in a container it may be too small. */
function memoryFolder() {
  const folder = '/dev/shm';
  if (!existsSync(folder)) return null;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= 4 * 1024 ** 3 ? folder : null;
}

function run(files, { isQuick = false, concurrency = 4 } = {}) {
  const setup = isQuick ? [] : ['--test-global-setup=test/support/postgres-server.ts'];
  // For `test/support/untracked-promises.ts`.
  const node = ['--expose-internals', '--test', ...setup];
  const args = [...node, '--test-timeout=120000', `--test-concurrency=${concurrency}`, ...files];
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
  if (!isQuick) {
    ensureChromium();
    ensureCollector();
  }
  if (stages.flat().includes('long')) ensureProxies();
  if (stages.flat().includes('long')) ensureSwift();
  for (const tiers of stages) {
    const concurrency = tiers.includes('microphone') ? 1 : tiers.includes('long') ? 2 : isQuick ? 3 : 4;
    const files = filesOf(tiers, first === '--speech' ? ofSpeech : undefined);
    process.exitCode ||= await run([...more, ...withShared(files)], { isQuick, concurrency });
    if (process.exitCode !== 0) break;
  }
}
