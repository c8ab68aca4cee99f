import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { maxRequestMs } from '../../src/http/shutdown.ts';
import { environmentOf, readDockerfile, textsOf } from './dockerfile.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: { readonly default: { readonly ipam: { readonly config: readonly { subnet: string }[] } } };
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** As Docker Compose reads it with these variables in its environment. */
function compose(variables: Readonly<Record<string, string>> = {}): Compose {
  const filled = (text: string): string =>
    text.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, kind, rest) => {
      const value = variables[name] || (kind === '-' ? rest : undefined);
      assert.ok(value !== undefined, `${name}: ${rest}`);
      return value;
    });
  return parse(read('compose.yaml'), (_, value) => (typeof value === 'string' ? filled(value) : value));
}

/** Every variable that the service reads. */
function knownVariables(): Set<string> {
  const names = new Set<string>();
  const noted = { get: (_: object, name: string) => void names.add(name) };
  readConfig(new Proxy({}, noted) as Record<string, string | undefined>);
  return names;
}

const password = { POSTGRES_PASSWORD: 'lettersAndDigits1' };
const instances = ['service-1', 'service-2'];

describe('compose.yaml', () => {
  it('needs a password and nothing else, and starts the service with valid settings that it knows', () => {
    assert.throws(() => compose(), /POSTGRES_PASSWORD/);
    const known = knownVariables();
    const { services } = compose(password);
    for (const name of instances) {
      const { environment = {} } = services[name] ?? {};
      for (const variable of Object.keys(environment)) assert.ok(known.has(variable), variable);
      const config = readConfig({ ...environmentOf(readDockerfile()), ...environment });
      assert.deepEqual(config.database, {
        engine: 'postgres',
        url: 'postgres://voice_agents:lettersAndDigits1@database:5432/voice_agents',
      });
      assert.deepEqual([config.dataKeys, config.publicUrl, config.llm], [[], null, null]);
    }
  });

  it('passes the data key, the public URL and the language model on', () => {
    const given = {
      DATA_KEY: Buffer.alloc(32, 7).toString('base64'),
      PUBLIC_URL: 'https://voice.example.com',
      OPENAI_API_KEY: 'sk-1',
      OPENAI_BASE_URL: 'http://models:11434/v1',
      LLM_MODEL_MAP: '*=qwen3',
      BOOTSTRAP_API_KEY: 'a-key-of-our-own-choice',
    };
    const { services } = compose({ ...password, ...given });
    for (const name of instances) {
      const { environment = {} } = services[name] ?? {};
      for (const [variable, value] of Object.entries(given)) assert.equal(environment[variable], value, variable);
    }
  });

  it('trusts its proxy, by the network that both are in', () => {
    for (const variables of [password, { ...password, NETWORK_SUBNET: '10.99.0.0/24' }]) {
      const { services, networks } = compose(variables);
      const subnets = networks.default.ipam.config.map(({ subnet }) => subnet);
      for (const name of instances) {
        const { trustedProxies } = readConfig(services[name]?.environment ?? {});
        assert.deepEqual(trustedProxies, subnets);
      }
    }
    assert.deepEqual(Object.keys(compose(password).networks), ['default']);
  });

  it('keeps recordings in a volume that both instances share', () => {
    const { MEDIA_DIR = '' } = environmentOf(readDockerfile());
    const { services, volumes } = compose(password);
    const sources = instances.map((name) => {
      const mounts = (services[name]?.volumes ?? []).map((mount) => mount.split(':'));
      return mounts.find(([, folder]) => MEDIA_DIR.startsWith(`${folder}/`))?.[0];
    });
    assert.ok(sources[0] !== undefined && sources[0] in volumes);
    assert.equal(sources[0], sources[1]);
  });

  it('gives requests in progress the time that a shutdown takes', () => {
    const { services } = compose(password);
    for (const name of instances) {
      const seconds = Number(/^(\d+)s$/.exec(services[name]?.stop_grace_period ?? '')?.[1]);
      assert.ok(seconds * 1000 >= maxRequestMs + 2000, name);
    }
  });

  it('uses the shipped configuration of the proxy, which names the instances and their port', () => {
    const { services } = compose(password);
    const [mounted] = (services.proxy?.volumes ?? []).map((mount) => mount.split(':'));
    assert.ok(mounted !== undefined);
    assert.equal(mounted[1], '/etc/nginx/nginx.conf');
    assert.ok(existsSync(new URL(mounted[0] as string, root)));
    const { PORT } = environmentOf(readDockerfile());
    for (const file of [mounted[0] as string, 'deploy/Caddyfile']) {
      const upstreams = read(file).match(/service-\d+:\d+/g);
      assert.deepEqual(
        upstreams,
        instances.map((name) => `${name}:${PORT}`),
        file,
      );
    }
    assert.deepEqual(Object.keys(services.proxy?.depends_on ?? {}), instances);
  });
});

describe('the Dockerfile', () => {
  const instructions = readDockerfile();

  it('sets variables that the service knows, and keeps every file in its volume', () => {
    const environment = environmentOf(instructions);
    const known = knownVariables();
    for (const variable of Object.keys(environment)) assert.ok(known.has(variable), variable);
    const [volume] = textsOf(instructions, 'VOLUME');
    const { database, mediaFolder, speech } = readConfig(environment);
    const file = database.engine === 'sqlite' ? database.file : '';
    for (const path of [file, mediaFolder, speech.models]) assert.ok(path.startsWith(`${volume}/`), path);
  });

  it('runs as an unprivileged user', () => {
    assert.deepEqual(textsOf(instructions, 'USER'), ['node']);
  });
});

describe('package.json', () => {
  it('decides for every package with an installation script whether it may run', () => {
    const { allowScripts } = JSON.parse(read('package.json'));
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    assert.deepEqual(
      Object.keys(allowScripts).sort(),
      scripted.map(([path]) => path.replace(/^.*node_modules\//, '')).sort(),
    );
  });
});
