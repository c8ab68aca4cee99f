/**
 * Makes sure that what the project needs is installed, and runs a TypeScript file of it on a Node that can.
 * Plain JavaScript without dependencies: this is what runs on a fresh clone, on whichever Node happens to be there.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Where stripped types and compiled code are kept from start to start. */
export const compileCache = join(root, 'node_modules', '.cache', 'voice-agents');

/** Installs unless everything in the lock file is there in its version already. `scope`: `run` or `develop`. */
export function ensureInstalled(scope) {
  if (!isInstalled(scope)) install(scope);
  linkCommand();
}

function install(scope) {
  withLock(() => {
    if (isInstalled(scope)) return;
    process.stderr.write('Installing dependencies (once, about a minute) …\n');
    const npm = process.env.npm_execpath;
    const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...(scope === 'run' ? ['--omit=dev'] : [])];
    const options = { cwd: root, stdio: ['ignore', 2, 2] };
    const result = npm?.endsWith('.js')
      ? spawnSync(process.execPath, [npm, ...args], options)
      : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
    if (result.status !== 0) {
      process.stderr.write('The installation failed: see above. "npm ci" repeats it.\n');
      process.exit(1);
    }
  });
}

/** npm links the commands of dependencies only; this puts the project's own beside them, as `node_modules/.bin/voice-agents`. */
function linkCommand() {
  const link = join(root, 'node_modules', '.bin', 'voice-agents');
  if (process.platform === 'win32' || existsSync(link)) return;
  try {
    symlinkSync(join('..', '..', 'bin', 'voice-agents.js'), link);
  } catch {
    // Another start was faster, or the folder belongs to another user: `npx voice-agents` works without the link.
  }
}

/** Compares the lock file with the record that npm keeps of what it has installed. */
function isInstalled(scope) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(wanted).every(([path, { version, dev, optional, devOptional }]) => {
    if (path === '' || optional || devOptional || (dev && scope === 'run')) return true;
    return present[path]?.version === version;
  });
}

/** Two starts at once on a fresh clone would install over each other: the second one waits. */
function withLock(work) {
  const lock = join(root, '.install-lock');
  const owner = join(lock, 'pid');
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isStale(owner)) rmSync(lock, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  try {
    writeFileSync(owner, String(process.pid));
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isStale(owner) {
  try {
    process.kill(Number(readFileSync(owner, 'utf8')), 0);
    return false;
  } catch (error) {
    // ENOENT: the other one has made the folder and is about to write its number, or has just finished.
    return error.code === 'ESRCH';
  }
}

/** The Node that the project brings, or the one at hand where that is new enough to run TypeScript. */
export function suitableNode() {
  const own = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(own)) return own;
  if (runsTypeScript()) return process.execPath;
  process.stderr.write(`Node.js 22.18 or newer is needed on this platform; this is ${process.version}.\n`);
  return process.exit(1);
}

export function runsTypeScript() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

/** Goes on with the script that was called on a Node that runs TypeScript. True where this one does, and nothing is to do. */
export async function onSuitableNode() {
  if (runsTypeScript()) return true;
  process.exitCode = await runProcess(suitableNode(), [...process.execArgv, ...process.argv.slice(1)]);
  return false;
}

export async function runFile(file, args) {
  module.enableCompileCache?.(compileCache);
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}

/**
 * npm that is killed outright cannot pass the signal on, and would leave the service behind, alone and on its port.
 * So it looks now and then whether the one that started it is still there.
 */
export function stopWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 100);
  watch.unref();
}

/** Runs a program as if it were this one: its streams, its signals, its exit code. */
export function runProcess(program, args, environment = process.env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: process.cwd(), stdio: 'inherit', env: environment });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}
