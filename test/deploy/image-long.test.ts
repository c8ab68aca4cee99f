import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, constants, copyFileSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { cp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { spokenCall } from '../areas/calls/live/caller.ts';
import { eventually, on } from '../areas/calls/support.ts';
import { endWithTests } from '../support/children.ts';
import { send } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { environmentOf, readDockerfile, textsOf } from './dockerfile.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Nobody; the image has a user of its own with as few rights. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
const key = 'a-key-of-our-own-choice';

interface LockedPackage {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

/** What `npm ci --omit=dev` installs, without the optional packages of speech, which are large. */
async function installPackages(app: string): Promise<void> {
  const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const isInstalled = ({ dev, optional, devOptional }: LockedPackage) => !(dev || optional || devOptional);
  const paths = Object.keys(packages).filter((path) => path !== '' && isInstalled(packages[path] as LockedPackage));
  for (const path of paths) await cp(join(root, path), join(app, path), { recursive: true });
}

/** No image can be built here, so its files, folders, user and environment are those of the Dockerfile without it. */
describe('the container image', () => {
  const instructions = readDockerfile();
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-image-'));
  const app = join(folder, 'app');
  const data = join(folder, 'data');
  const node = join(folder, 'node');
  const service = { url: '', port: 0 };
  let environment: Record<string, string>;
  let child: ChildProcess;
  let output = '';

  before(async () => {
    chmodSync(folder, 0o755);
    mkdirSync(app);
    for (const text of textsOf(instructions, 'COPY')) {
      const names = text.split(/\s+/);
      const target = names.pop() as string;
      for (const name of names) {
        const destination = target.endsWith('/') ? join(app, target, name) : join(app, target);
        await cp(join(root, name), destination, { recursive: true });
      }
    }
    await installPackages(app);
    // The volume belongs to the user of the image.
    mkdirSync(data, { mode: 0o700 });
    if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
    // That user may not have access to the one of the tests.
    copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE);
    chmodSync(node, 0o755);
    const port = await freePort();
    const settings = environmentOf(instructions);
    const mapped = Object.entries(settings).map(([name, value]) => [name, value.replace('/data', data)]);
    environment = { ...Object.fromEntries(mapped), PORT: String(port), BOOTSTRAP_API_KEY: key };
    const [program, ...args] = JSON.parse(textsOf(instructions, 'CMD')[0] as string) as string[];
    assert.equal(program, 'node');
    child = endWithTests(spawn(node, args, { cwd: app, env: environment, stdio: ['ignore', 'pipe', 'pipe'], ...user }));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk;
      });
    }
    Object.assign(service, { port, url: `http://127.0.0.1:${port}` });
    await eventually(async () => {
      assert.equal(child.exitCode, null, output);
      return (await fetch(`${service.url}/readyz`).catch(() => null))?.status === 200;
    });
  });
  after(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('runs the Node.js that the project is tested with', () => {
    const [from] = textsOf(instructions, 'FROM');
    assert.equal(/^node:(\d+)-slim$/.exec(from ?? '')?.[1], process.versions.node.split('.')[0]);
  });

  it('gets every file that it copies', () => {
    const allowed = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const isSent = (name: string): boolean =>
      allowed.some((line) => line === `!${name}` || (line.startsWith('!') && name.startsWith(`${line.slice(1)}/`)));
    for (const text of textsOf(instructions, 'COPY')) {
      for (const name of text.split(/\s+/).slice(0, -1)) assert.ok(isSent(name), name);
    }
  });

  it('is ready, with folders that can be written, and serves the dashboard', async () => {
    const { json } = await send(service, 'GET', '/readyz');
    assert.deepEqual([json.status, json.problems], ['ready', []]);
    const page = await fetch(`${service.url}/`, { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /<div id="root">/);
  });

  it('records calls', async () => {
    const { client, caller, id } = await spokenCall(service, key, {
      agent: { agentSettings: { calls: { recordingEnabled: true } } },
    });
    await caller.say('hello');
    await client.said('hello');
    client.send({ type: 'end' });
    await client.closed;
    const call = on(service, key, id);
    await eventually(async () => !['recording', 'processing'].includes((await call.call()).recording.status));
    assert.equal((await call.call()).recording.status, 'available', output);
    const file = join(data, 'media', 'calls', `${id}.wav`);
    assert.equal((await stat(file)).size, (await call.recording()).json.sizeBytes);
  });

  it('is healthy according to its own check', async () => {
    const [check] = textsOf(instructions, 'HEALTHCHECK');
    const [, ...args] = JSON.parse((check ?? '').slice((check ?? '').indexOf('CMD ') + 4)) as string[];
    const probe = endWithTests(spawn(node, args, { cwd: app, env: environment, stdio: 'ignore', ...user }));
    const [code] = await once(probe, 'exit');
    assert.equal(code, 0);
  });

  it('writes to its volume only, and stops with a signal', async () => {
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    assert.equal(code, 0, output);
    assert.deepEqual((await readdir(data)).sort(), ['media', 'voice-agents.db', 'voice-agents.db.key']);
    const created = new Set(['LICENSE', 'NOTICE', 'package.json', 'package-lock.json', '.npmrc', 'node_modules']);
    const copied = ['src', 'sdk', 'dashboard', 'reference'];
    assert.deepEqual(new Set(await readdir(app)), new Set([...created, ...copied]));
  });
});
