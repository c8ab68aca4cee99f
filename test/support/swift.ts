import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BucketConfig } from '../../src/config-media.ts';
import { createS3Client } from '../../src/storage/s3/client.ts';
import { eventually } from './eventually.ts';

const programs = ['swift-proxy-server', 'swift-account-server', 'swift-container-server', 'swift-object-server'];

/** An option of tests: skips those that need OpenStack Swift where it is not installed. */
export const withSwift = {
  skip:
    programs.every((name) => existsSync(join('/usr/bin', name))) && process.getuid?.() === 0
      ? false
      : 'OpenStack Swift is not installed, or this is not root: apt-get install swift-proxy swift-account swift-container swift-object swift',
};

const kinds = ['account', 'container', 'object'] as const;

/** OpenStack Swift with its S3 API: it compares signatures and hashes, and lists and aborts uploads in parts. */
export async function startSwift(): Promise<{ readonly config: BucketConfig; readonly close: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-swift-'));
  mkdirSync(join(folder, 'devices', 'one'), { recursive: true });
  const ports = {
    proxy: await freePort(),
    account: await freePort(),
    container: await freePort(),
    object: await freePort(),
  };
  const base = (port: number): string =>
    `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nuser = root\nmount_check = false\n` +
    `swift_dir = ${folder}\ndevices = ${join(folder, 'devices')}\nlog_level = ERROR\n`;
  for (const kind of kinds) {
    writeFileSync(
      join(folder, `${kind}.conf`),
      `${base(ports[kind])}[pipeline:main]\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n`,
    );
    const builder = join(folder, `${kind}.builder`);
    run('swift-ring-builder', builder, 'create', '4', '1', '1');
    run('swift-ring-builder', builder, 'add', `r1z1-127.0.0.1:${ports[kind]}/one`, '1');
    run('swift-ring-builder', builder, 'rebalance');
  }
  const filters = ['catch_errors', 'gatekeeper', 'cache', 's3api', 'tempauth', 'copy', 'slo', 'dlo'];
  const uses: Record<string, string> = {
    cache: 'memcache',
    tempauth: 'tempauth\nuser_voice_agents = secret-of-tests .admin',
    s3api: 's3api\nlocation = us-east-1',
  };
  writeFileSync(
    join(folder, 'proxy.conf'),
    `${base(ports.proxy)}[pipeline:main]\npipeline = ${filters.join(' ')} proxy-server\n` +
      '[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n' +
      filters.map((name) => `[filter:${name}]\nuse = egg:swift#${uses[name] ?? name}\n`).join(''),
  );
  const processes = [...kinds, 'proxy'].map((kind) => start(`swift-${kind}-server`, join(folder, `${kind}.conf`)));
  const config: BucketConfig = {
    bucket: 'recordings',
    prefix: 'voice/',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${ports.proxy}`,
    isPathStyle: true,
    hasLinks: true,
    credentials: { accessKeyId: 'voice:agents', secretAccessKey: 'secret-of-tests', sessionToken: null },
  };
  const close = async (): Promise<void> => {
    for (const child of processes) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  const client = createS3Client(config);
  try {
    await eventually(
      async () =>
        client.text({ method: 'PUT', key: '' }).then(
          () => true,
          () => false,
        ),
      'the start of Swift',
    );
  } catch (error) {
    await close();
    throw error;
  } finally {
    await client.close();
  }
  return { config, close };
}

function start(program: string, file: string): ChildProcess {
  return spawn(`/usr/bin/${program}`, [file], { stdio: ['ignore', 'ignore', process.env.DEBUG_SWIFT ? 2 : 'ignore'] });
}

function run(program: string, ...args: string[]): void {
  const { status, stderr, stdout } = spawnSync(`/usr/bin/${program}`, args, { encoding: 'utf8' });
  // 1 is a warning.
  if (status !== 0 && status !== 1) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
