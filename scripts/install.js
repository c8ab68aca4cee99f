/**
 * Installs the dependencies of the project, and runs its TypeScript files on a Node.js that supports them. Plain
 * JavaScript without dependencies, because it must run on a fresh clone with any version of Node.js.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The cache of stripped types and compiled code. */
export const compileCache = join(root, 'node_modules', '.cache', 'voice-agents');

/** Installs unless every package of the lock file is installed in its version. `scope`: `run` or `develop`. */
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
      process.stderr.write('Installation failed (see above). Run "npm ci" to try again.\n');
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

/** Compares the lock file with npm's record of installed packages. */
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

/** Concurrent starts on a fresh clone must not install at the same time: the second one waits. */
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
    // ENOENT: the other process has created the folder but not yet written its id, or has just finished.
    return error.code === 'ESRCH';
  }
}

/** The Node.js that the project installs, or the current one if it is new enough to run TypeScript. */
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

/** Runs the called script on a Node.js that supports TypeScript. Returns true if the current one does. */
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
 * If npm is killed with SIGKILL, it cannot forward the signal, and the service would keep running and occupy its port.
 * It therefore checks regularly whether its parent process is still there.
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

/** Runs a program in place of this one, with the same streams, signals and exit code. */
export function runProcess(program, args, environment = process.env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: process.cwd(), stdio: 'inherit', env: environment });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}
