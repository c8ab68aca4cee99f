import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { maxFlushMs } from '../../src/areas/calls/record/spooled-recordings.ts';
import { readConfig } from '../../src/config.ts';
import { maxRequestMs } from '../../src/http/shutdown.ts';
import { environmentOf, readDockerfile, textsOf } from './dockerfile.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

interface ComposeService {
  readonly env_file?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: { readonly default: { readonly ipam: { readonly config: readonly { subnet: string }[] } } };
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** As Docker Compose reads it with these variables in `.env`. */
function compose(variables: Readonly<Record<string, string>> = {}): Compose {
  const filled = (text: string): string =>
    text.replaceAll(/\$\{(\w+)(:?)([-?])([^}]*)\}/g, (_, name, colon, kind, rest) => {
      const isGiven = colon === '' ? name in variables : (variables[name] ?? '') !== '';
      const value = isGiven ? variables[name] : kind === '-' ? rest : undefined;
      assert.ok(value !== undefined, `${name}: ${rest}`);
      return value;
    });
  const reviver = (_: unknown, value: unknown) => (typeof value === 'string' ? filled(value) : value);
  const parsed: Compose = parse(read('compose.yaml'), reviver, { merge: true });
  const services = Object.entries(parsed.services).map(([name, service]) => {
    const ofFile = service.env_file?.includes('.env') ? variables : {};
    return [name, { ...service, environment: { ...ofFile, ...service.environment } }];
  });
  return { ...parsed, services: Object.fromEntries(services) };
}

/** Every variable that the service reads. */
function knownVariables(): Set<string> {
  const names = new Set<string>();
  const noted = { get: (_: object, name: string) => void names.add(name) };
  readConfig(new Proxy({}, noted) as Record<string, string | undefined>);
  return names;
}

const secrets = {
  POSTGRES_PASSWORD: 'lettersAndDigits1',
  DATA_KEY: Buffer.alloc(32, 7).toString('base64'),
  AWS_SECRET_ACCESS_KEY: '0123456789abcdef'.repeat(4),
};
const instances = ['service-1', 'service-2'];

describe('deploy/tracing.yaml', () => {
  it('sends the traces of all instances to one collector, which nobody else reaches', () => {
    const { services } = parse(read('deploy/tracing.yaml')) as {
      services: Record<string, ComposeService & { ports?: string[] }>;
    };
    assert.deepEqual(Object.keys(services), [...instances, 'traces']);
    for (const name of instances) {
      assert.equal(readConfig({ ...services[name]?.environment }).tracing?.url, 'http://traces:4318/v1/traces');
    }
    assert.deepEqual(services.traces?.ports, ['127.0.0.1:16686:16686']);
  });
});

describe('compose.yaml', () => {
  it('needs three secrets and nothing else, and starts the service with valid settings that it knows', () => {
    for (const name of Object.keys(secrets)) assert.throws(() => compose({ ...secrets, [name]: '' }), new RegExp(name));
    const known = knownVariables();
    const { services } = compose(secrets);
    for (const name of instances) {
      const { environment = {} } = services[name] ?? {};
      for (const variable of Object.keys(environment)) {
        assert.ok(known.has(variable) || variable === 'POSTGRES_PASSWORD', variable);
      }
      const config = readConfig({ ...environmentOf(readDockerfile()), ...environment });
      assert.deepEqual(config.database, {
        engine: 'postgres',
        url: 'postgres://voice_agents:lettersAndDigits1@database:5432/voice_agents',
      });
      assert.deepEqual([config.dataKeys.length, config.publicUrl, config.llm], [1, null, null]);
    }
  });

  it('passes every setting in .env on to both instances, except those that its other parts depend on', () => {
    const fixed = ['DATABASE_URL', 'HOST', 'MEDIA_DIR', 'PORT', 'SPEECH_MODELS', 'TRUSTED_PROXIES'];
    const known = [...knownVariables()];
    const given = Object.fromEntries(known.map((name) => [name, `given-${name}`]));
    const { services } = compose({ ...secrets, ...given });
    for (const name of instances) {
      const { environment = {} } = services[name] ?? {};
      const others = known.filter((variable) => environment[variable] !== given[variable]);
      assert.deepEqual(others.sort(), fixed, name);
    }
  });

  it('has object storage, with the bucket, the address and the credentials that both instances use', () => {
    const { services, volumes } = compose(secrets);
    const { environment: storage = {}, volumes: mounts = [], command = [] } = services.storage ?? {};
    const garage = read('deploy/garage.toml');
    const port = /^\[s3_api\][^[]*^api_bind_addr = "\[::\]:(\d+)"$/m.exec(garage)?.[1];
    for (const name of instances) {
      const { mediaBucket } = readConfig({ ...services[name]?.environment });
      assert.ok(mediaBucket !== null);
      assert.deepEqual(
        [mediaBucket.endpoint, mediaBucket.bucket, mediaBucket.isPathStyle, mediaBucket.credentials],
        [
          `http://storage:${port}`,
          storage.GARAGE_DEFAULT_BUCKET,
          true,
          {
            accessKeyId: storage.GARAGE_DEFAULT_ACCESS_KEY,
            secretAccessKey: storage.GARAGE_DEFAULT_SECRET_KEY,
            sessionToken: null,
          },
        ],
      );
      assert.match(garage, new RegExp(`^s3_region = "${mediaBucket.region}"$`, 'm'));
    }
    assert.deepEqual(command.slice(1), ['server', '--single-node', '--default-bucket']);
    const folders = mounts.map((mount) => mount.split(':'));
    const [, data] = folders.find(([source = '']) => source in volumes) ?? [];
    for (const name of ['metadata_dir', 'data_dir']) {
      assert.ok(new RegExp(`^${name} = "(.+)"$`, 'm').exec(garage)?.[1]?.startsWith(`${data}/`), name);
    }
    assert.ok(folders.some(([source, target]) => source === './deploy/garage.toml' && target === '/etc/garage.toml'));
  });

  it('can use another storage, of AWS or elsewhere', () => {
    const other = { MEDIA_URL: 's3://ours/calls', AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_S3: '' };
    const { services } = compose({ ...secrets, ...other });
    for (const name of instances) {
      const { mediaBucket } = readConfig({ ...services[name]?.environment });
      assert.equal(mediaBucket?.endpoint, 'https://s3.eu-central-1.amazonaws.com');
      assert.deepEqual([mediaBucket.bucket, mediaBucket.prefix], ['ours', 'calls/']);
    }
  });

  it('trusts its proxy, by the network that both are in', () => {
    for (const variables of [secrets, { ...secrets, NETWORK_SUBNET: '10.99.0.0/24' }]) {
      const { services, networks } = compose(variables);
      const subnets = networks.default.ipam.config.map(({ subnet }) => subnet);
      for (const name of instances) {
        const { trustedProxies } = readConfig(services[name]?.environment ?? {});
        assert.deepEqual(trustedProxies, subnets);
      }
    }
    assert.deepEqual(Object.keys(compose(secrets).networks), ['default']);
  });

  it('gives each instance a volume of its own for its spool, and both the same voices', () => {
    const { services, volumes } = compose(secrets);
    /** The volume of the deepest mount that contains the folder. */
    const volumeOf = (name: string, folder: string): string => {
      const mounts = (services[name]?.volumes ?? []).map((mount) => mount.split(':') as [string, string]);
      const [found] = mounts
        .filter(([, target]) => folder === target || folder.startsWith(`${target}/`))
        .sort(([, one], [, other]) => other.length - one.length);
      assert.ok(found !== undefined && found[0] in volumes, folder);
      return found[0];
    };
    const [one, other] = instances.map((name) => {
      const { mediaFolder, speech } = readConfig({ ...services[name]?.environment });
      return { spool: volumeOf(name, mediaFolder), speech: volumeOf(name, speech.models) };
    });
    assert.notEqual(one?.spool, other?.spool);
    assert.equal(one?.speech, other?.speech);
    assert.notEqual(one?.spool, one?.speech);
  });

  it('gives requests in progress, and recordings in the spool, the time that a shutdown takes', () => {
    const { services } = compose(secrets);
    for (const name of instances) {
      const seconds = Number(/^(\d+)s$/.exec(services[name]?.stop_grace_period ?? '')?.[1]);
      assert.ok(seconds * 1000 >= maxRequestMs + maxFlushMs + 5000, name);
    }
  });

  it('uses the shipped configuration of the proxy, which names the instances and their port', () => {
    const { services } = compose(secrets);
    const [mounted] = (services.proxy?.volumes ?? []).map((mount) => mount.split(':'));
    assert.ok(mounted !== undefined);
    assert.equal(mounted[1], '/etc/nginx/nginx.conf');
    assert.ok(existsSync(new URL(mounted[0] as string, root)));
    const { PORT } = services['service-1']?.environment ?? {};
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
