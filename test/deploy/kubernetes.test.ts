import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { maxFlushMs } from '../../src/areas/calls/record/spooled-recordings.ts';
import { readConfig } from '../../src/config.ts';
import { maxFileBytes } from '../../src/contract/knowledge/document.ts';
import { maxRequestMs, socketCloseMs } from '../../src/http/shutdown.ts';
import { sqliteEngine } from '../support/engines.ts';
import { useService } from '../support/service.ts';
import { environmentOf, readDockerfile } from './dockerfile.ts';
import { folder, issuesOf, type Manifest, manifestsIn, readManifest, variablesIn } from './kubernetes.ts';

const kustomization = parse(readManifest('kustomization.yaml')) as {
  readonly resources: readonly string[];
  readonly images: readonly { readonly name: string }[];
  readonly configMapGenerator: readonly { readonly name: string; readonly envs: readonly string[] }[];
  readonly secretGenerator: readonly { readonly name: string; readonly envs: readonly string[] }[];
};
const manifests = kustomization.resources.flatMap(manifestsIn);

function found(kind: string, name = 'voice-agents'): Manifest {
  const manifest = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  assert.ok(manifest !== undefined, `${kind} ${name}`);
  return manifest;
}

const community = 'nginx.ingress.kubernetes.io';
const annotationsOf = (name: string) => found('Ingress', name).metadata.annotations ?? {};

const { template, ...stateful } = found('StatefulSet').spec;
const [container] = template.spec.containers;
const config = variablesIn('config.env');
const secret = {
  ...variablesIn('secret.env.example'),
  DATA_KEY: Buffer.alloc(32, 7).toString('base64'),
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
};
const settings = readConfig({ ...environmentOf(readDockerfile()), ...config, ...secret });

describe('deploy/kubernetes', () => {
  const service = useService(sqliteEngine());

  it('is valid by the schemas of Kubernetes, without a field that they do not have', async () => {
    for (const manifest of manifests) {
      const { kind, metadata } = manifest;
      assert.deepEqual(await issuesOf(manifest), [], `${kind} ${metadata.name}`);
    }
    assert.deepEqual(manifests.map(({ kind }) => kind).sort(), [
      'HorizontalPodAutoscaler',
      'Ingress',
      'Ingress',
      'Ingress',
      'Namespace',
      'PodDisruptionBudget',
      'Service',
      'Service',
      'Service',
      'StatefulSet',
    ]);
  });

  it('would not be valid with a field that is misspelled, missing or of another type', async () => {
    const changed = async (change: (copy: Manifest) => void) => {
      const copy = structuredClone(found('StatefulSet'));
      change(copy);
      return (await issuesOf(copy)).join('\n');
    };
    const first = ({ spec }: Manifest) => spec.template.spec.containers[0];
    const misspelled = await changed((copy) =>
      Object.assign(first(copy), { readinesProbe: first(copy).readinessProbe }),
    );
    assert.equal(misspelled, '/spec/template/spec/containers/0/readinesProbe is unknown');
    assert.notEqual(await changed(({ spec }) => delete spec.selector), '');
    assert.notEqual(await changed((copy) => Object.assign(first(copy).readinessProbe, { periodSeconds: '2' })), '');
    assert.notEqual(await changed((copy) => Object.assign(first(copy).ports[0], { containerPort: 'http' })), '');
  });

  it('is complete: every file is used, and the example is not mistaken for the secret', () => {
    const files = readdirSync(folder).filter((name) => name !== 'secret.env');
    const [configMap] = kustomization.configMapGenerator;
    const [secretMap] = kustomization.secretGenerator;
    const used = [...kustomization.resources, ...(configMap?.envs ?? [])];
    const others = ['kustomization.yaml', 'prometheus-adapter.yaml', 'secret.env.example'];
    assert.deepEqual(files.sort(), [...used, ...others].sort());
    assert.deepEqual(secretMap?.envs, ['secret.env']);
    const ignored = readFileSync(new URL('../../.gitignore', import.meta.url), 'utf8').split('\n');
    assert.ok(ignored.includes('/deploy/kubernetes/secret.env'));
    assert.deepEqual(container.envFrom, [
      { configMapRef: { name: configMap?.name } },
      { secretRef: { name: secretMap?.name } },
    ]);
    assert.deepEqual(
      kustomization.images.map(({ name }) => name),
      [container.image],
    );
  });

  it('starts the service with settings that it knows, and stores nothing outside of its volumes', () => {
    const known = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name: string) => void known.add(name) }) as Record<string, undefined>);
    for (const name of Object.keys({ ...config, ...secret })) assert.ok(known.has(name), name);
    assert.equal(settings.database.engine, 'postgres');
    assert.ok(settings.mediaBucket !== null);
    const mounts: { name: string; mountPath: string }[] = container.volumeMounts;
    const mountOf = (path: string) => mounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`))?.name;
    const [claim] = stateful.volumeClaimTemplates;
    // A volume of the instance, which it gets again after a restart.
    assert.equal(mountOf(settings.mediaFolder), claim.metadata.name);
    assert.equal(mountOf(settings.speech.models), claim.metadata.name);
    assert.deepEqual(stateful.persistentVolumeClaimRetentionPolicy, { whenScaled: 'Retain', whenDeleted: 'Retain' });
    assert.equal(container.securityContext.readOnlyRootFilesystem, true);
    assert.equal(mountOf('/tmp/voice-agents-1'), 'temporary');
  });

  it('asks for paths that the service has, at the port of the image', async () => {
    const [port] = container.ports;
    assert.equal(String(port.containerPort), environmentOf(readDockerfile()).PORT);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      assert.equal(httpGet.port, port.name);
      assert.equal((await fetch(service.url + httpGet.path)).status, 200);
    }
    assert.equal(readinessProbe.httpGet.path, '/readyz');
    // A database that is away must not restart the process.
    assert.deepEqual([startupProbe.httpGet.path, livenessProbe.httpGet.path], ['/healthz', '/healthz']);
    const { annotations } = template.metadata;
    assert.equal(annotations['prometheus.io/port'], String(port.containerPort));
    assert.equal((await fetch(service.url + annotations['prometheus.io/path'])).status, 200);
  });

  it('gives an instance that stops the time for its calls, its requests and its recordings', () => {
    const [program, seconds] = container.lifecycle.preStop.exec.command;
    assert.equal(program, 'sleep');
    const drainMs = Math.max(settings.drainSeconds * 1000 + socketCloseMs, maxRequestMs);
    const neededMs = Number(seconds) * 1000 + drainMs + maxFlushMs;
    assert.ok(template.spec.terminationGracePeriodSeconds * 1000 >= neededMs + 5000, `${neededMs}`);
  });

  it('selects the pods wherever it means them, and keeps them apart', () => {
    const { labels } = template.metadata;
    const selects = (selector: object) => assert.deepEqual(selector, labels);
    selects(stateful.selector.matchLabels);
    selects(found('PodDisruptionBudget').spec.selector.matchLabels);
    selects(found('Service').spec.selector);
    selects(found('Service', stateful.serviceName).spec.selector);
    assert.equal(found('Service', stateful.serviceName).spec.clusterIP, 'None');
    const { preferredDuringSchedulingIgnoredDuringExecution: preferred } = template.spec.affinity.podAntiAffinity;
    for (const { podAffinityTerm } of preferred) selects(podAffinityTerm.labelSelector.matchLabels);
    assert.ok(
      preferred.some((one: { podAffinityTerm: { topologyKey: string } }) =>
        one.podAffinityTerm.topologyKey.endsWith('/hostname'),
      ),
    );
    for (const { kind, metadata, spec } of manifests) {
      if (kind !== 'Service' || spec.selector === undefined) continue;
      for (const { targetPort } of spec.ports) assert.equal(targetPort, container.ports[0].name, metadata.name);
    }
    assert.equal(found('PodDisruptionBudget').spec.maxUnavailable, 1);
  });

  it('scales by a metric that the service has, which the adapter makes known', async () => {
    const { scaleTargetRef, metrics, minReplicas, behavior } = found('HorizontalPodAutoscaler').spec;
    const { apiVersion, kind, metadata } = found('StatefulSet');
    assert.deepEqual(scaleTargetRef, { apiVersion, kind, name: metadata.name });
    // A number of replicas in the manifest would undo those of the autoscaler.
    assert.equal(stateful.replicas, undefined);
    assert.ok(minReplicas >= 2);
    const [{ pods }] = metrics;
    const text = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(text, new RegExp(`^# TYPE ${pods.metric.name} gauge$`, 'm'));
    const [rule] = parse(readManifest('prometheus-adapter.yaml')).rules.custom;
    assert.equal(rule.name.as, pods.metric.name);
    assert.ok(rule.seriesQuery.startsWith(`${pods.metric.name}{`));
    assert.match(pods.metric.name, new RegExp(rule.name.matches));
    // The next one waits until the one before had the time to stop.
    const [policy] = behavior.scaleDown.policies;
    assert.ok(policy.periodSeconds / policy.value >= template.spec.terminationGracePeriodSeconds);
  });

  it('passes WebSockets, event streams, long requests and uploads on, and keeps metrics to itself', () => {
    const annotations = { ...annotationsOf('voice-agents'), ...annotationsOf('voice-agents-requests') };
    assert.equal(annotations['nginx.org/websocket-services'], found('Service').metadata.name);
    for (const name of ['proxy-read-timeout', 'proxy-send-timeout']) {
      assert.ok(Number(/^(\d+)s$/.exec(annotations[`nginx.org/${name}`] ?? '')?.[1]) > 300, name);
      assert.ok(Number(annotations[`${community}/${name}`]) > 300, name);
    }
    assert.equal(annotations['nginx.org/proxy-buffering'], 'False');
    assert.equal(annotations[`${community}/proxy-buffering`], 'off');
    for (const name of ['nginx.org/client-max-body-size', `${community}/proxy-body-size`]) {
      assert.ok(Number(/^(\d+)m$/.exec(annotations[name] ?? '')?.[1]) * 1024 ** 2 > maxFileBytes, name);
    }
    const [{ http }] = found('Ingress', 'voice-agents-requests').spec.rules;
    const backendOf = (path: string) => {
      const { service: target } = http.paths.find((one: { path: string }) => one.path === path).backend;
      const { spec: backend } = found('Service', target.name);
      assert.ok(backend.ports.some((port: { name: string }) => port.name === target.port.name));
      return backend;
    };
    assert.deepEqual(backendOf('/').selector, template.metadata.labels);
    assert.equal(backendOf('/metrics').selector, undefined);
  });

  it('repeats what carriers ask, and nothing else, with the values of deploy/nginx.conf', () => {
    const nginx = readFileSync(new URL('../nginx.conf', folder), 'utf8');
    const [, location = ''] = /location \/carrier\/ \{([^}]+)\}/.exec(nginx) ?? [];
    const [, repeated] = /proxy_next_upstream ([^;]+);/.exec(location) ?? [];
    assert.match(String(repeated), /non_idempotent/);
    const isRepeated = ([name]: [string, unknown]) => name.endsWith('/proxy-next-upstream');
    for (const name of ['voice-agents', 'voice-agents-requests'])
      assert.ok(!Object.entries(annotationsOf(name)).some(isRepeated), name);
    const carriers = annotationsOf('voice-agents-carriers');
    assert.deepEqual(Object.entries(carriers).filter(isRepeated), [
      ['nginx.org/proxy-next-upstream', repeated],
      [`${community}/proxy-next-upstream`, repeated],
    ]);
    const { http } = found('Ingress', 'voice-agents-carriers').spec.rules[0];
    const [{ path, backend }, ...others] = http.paths;
    assert.deepEqual([path, backend.service.name, others], ['/carrier/', found('Service').metadata.name, []]);
    // Its WebSockets and timeouts are those of all other requests.
    const common = Object.entries(annotationsOf('voice-agents-requests')).filter(
      ([name]) => !name.endsWith('body-size'),
    );
    for (const [name, value] of common) assert.equal(carriers[name], value, name);
    const read = Number(carriers[`${community}/proxy-read-timeout`]);
    assert.ok(nginx.includes(`proxy_read_timeout ${read}s;`));
    assert.ok(nginx.includes(`proxy_connect_timeout ${carriers[`${community}/proxy-connect-timeout`]}s;`));
  });

  it('has one host, in a master with the certificate and minions with the paths', () => {
    const ingresses = manifests.filter(({ kind }) => kind === 'Ingress');
    const [master, ...minions] = ingresses as [Manifest, ...Manifest[]];
    const host = new URL(config.PUBLIC_URL as string).hostname;
    assert.deepEqual(master.spec.rules, [{ host }]);
    assert.deepEqual(master.spec.tls[0].hosts, [host]);
    assert.equal(annotationsOf(master.metadata.name)['nginx.org/mergeable-ingress-type'], 'master');
    // The controller removes it there.
    assert.equal(annotationsOf(master.metadata.name)['nginx.org/websocket-services'], undefined);
    for (const { metadata, spec } of minions) {
      assert.equal(annotationsOf(metadata.name)['nginx.org/mergeable-ingress-type'], 'minion');
      assert.deepEqual([spec.rules.length, spec.rules[0].host, spec.tls], [1, host, undefined]);
      assert.equal(spec.ingressClassName, master.spec.ingressClassName);
    }
  });
});
