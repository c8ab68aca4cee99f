import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProxy } from '../../scripts/proxies.js';
import { endWithTests } from '../support/children.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';

/** The file as it is shipped, with other addresses, and nothing else. */
export function shipped(file: string, replacements: readonly (readonly [from: string, to: string])[]): string {
  return replacements.reduce(
    (text, [from, to]) => {
      assert.equal(text.split(from).length, 2, `${file} contains "${from}" once`);
      return text.replace(from, to);
    },
    readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8'),
  );
}

interface ProxyParts {
  readonly program: string;
  readonly folder: string;
  readonly port: number;
  /** What `service-1:8080` and `service-2:8080` are here. */
  readonly upstreams: readonly (readonly [from: string, to: string])[];
}

export type ProxyName = 'nginx' | 'caddy';
export const proxyNames: readonly ProxyName[] = ['nginx', 'caddy'];

const programs: Readonly<Record<ProxyName, (parts: ProxyParts) => ChildProcess>> = {
  nginx: ({ program, folder, port, upstreams }) => {
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, shipped('nginx.conf', [...upstreams, ['listen 8080;', `listen ${port};`]]));
    const settings = `daemon off; pid ${join(folder, 'nginx.pid')};`;
    return spawn(program, ['-e', 'stderr', '-c', file, '-g', settings], { stdio: ['ignore', 'ignore', 'pipe'] });
  },
  caddy: ({ program, folder, port, upstreams }) => {
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, shipped('Caddyfile', [...upstreams, ['\n:8080 {', `\n:${port} {`]]));
    // Another Caddy on this machine has the default port for commands.
    const env = { PATH: process.env.PATH, HOME: folder, CADDY_ADMIN: `unix/${join(folder, 'admin.sock')}` };
    const args = ['run', '--config', file, '--adapter', 'caddyfile'];
    return spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  },
};

/** An option of `describe`: why the tests of this proxy cannot run here. */
export function skipOf(name: ProxyName): string | false {
  if (findProxy(name) === undefined) return `${name} is not installed`;
  return name === 'nginx' && process.getuid?.() !== 0 ? 'nginx of Debian stores request bodies as root only' : false;
}

export interface RunningProxy {
  readonly url: string;
  readonly port: number;
  end(): Promise<void>;
}

/** Starts a proxy with its shipped configuration in front of two instances, and resolves when one of them is ready. */
export async function startProxy(
  name: ProxyName,
  {
    folder,
    instancePorts,
    port: given,
  }: { readonly folder: string; readonly instancePorts: readonly [number, number]; readonly port?: number },
): Promise<RunningProxy> {
  const port = given ?? (await freePort());
  const upstreams = instancePorts.map((own, index) => [`service-${index + 1}:8080`, `127.0.0.1:${own}`] as const);
  const child = endWithTests(programs[name]({ program: findProxy(name) as string, folder, port, upstreams }));
  const errors: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errors.push(String(chunk)));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    assert.equal(child.exitCode, null, errors.join(''));
    return (await fetch(`${url}/readyz`).catch(() => null))?.status === 200;
  });
  return {
    url,
    port,
    end: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
