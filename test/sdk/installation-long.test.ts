import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { packed, sdkPackageFiles } from '../../scripts/sdk-package.ts';
import { sqliteEngine } from '../support/engines.ts';
import { runToEnd } from '../support/process.ts';
import { useService } from '../support/service.ts';

const root = join(import.meta.dirname, '..', '..');
const bin = join(root, 'node_modules', '.bin');

/** Everything that people use, with types that the compiler checks: a wrong one is an error by @ts-expect-error. */
const program = `import { type CallEvents, type TypedEvent, VoiceAgents, type WebhookEvent, verifyWebhook, version } from 'voice-agent-sdk';
import { joinCall, type WebCallEvents } from 'voice-agent-sdk/web';

const client = new VoiceAgents({ apiKey: 'vak_1', baseUrl: 'http://127.0.0.1:1' });

export async function received(body: string, headers: Headers): Promise<string | null> {
  const event: WebhookEvent = await verifyWebhook(body, headers, 'whsec_AAAA');
  if (event.type === 'call_ended') return event.data.call.endReason;
  // @ts-expect-error: only the data of a call has a call.
  if (event.type === 'agent_published') return event.data.call.endReason;
  return null;
}

export async function followed(): Promise<void> {
  for await (const event of client.events.follow()) show(event);
  for await (const event of client.calls.events.follow('call_1')) {
    if (event.type === 'turn_completed') event.data.turn.text satisfies string | null;
  }
  const states = await client.agents.states.list({ agentId: ['agt_1'] });
  states.items[0]?.publishedVersion satisfies number | null | undefined;
}

function show(event: TypedEvent): void {
  if (event.type === 'call_analyzed') console.log(event.body?.data.call.analysis.summary);
}

export async function joined(token: string, url: string) {
  const on: Partial<{ [Name in keyof WebCallEvents]: (given: WebCallEvents[Name]) => void }> = {};
  return typeof on === 'object' ? joinCall : { token, url };
}

export type Follow = CallEvents['follow'];
console.log(version, typeof client.agents.create);
`;

describe('the SDK in a new project', () => {
  const service = useService(sqliteEngine());
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-install-'));
  after(() => rmSync(folder, { recursive: true }));
  // The service in this process has to answer meanwhile.
  const install = (cwd: string, source: string) =>
    promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--no-update-notifier', source], { cwd });
  const newProject = (name: string): string => {
    const project = join(folder, name);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"name":"project","private":true,"type":"module"}');
    writeFileSync(join(project, 'main.ts'), program);
    return project;
  };
  /** Compiles the project for Node.js and for bundlers, and runs it. */
  const compileAndRun = async (project: string): Promise<void> => {
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--types', ''];
    const kinds = [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const;
    for (const [module, resolution] of kinds) {
      const args = ['--module', module, '--moduleResolution', resolution, '--target', 'es2022', ...strict];
      const lib = ['--lib', 'es2022,dom,dom.iterable,dom.asynciterable', '--outDir', 'out', 'main.ts'];
      const compiled = spawnSync(join(bin, 'tsc'), [...args, ...lib], { cwd: project, encoding: 'utf8' });
      assert.equal(compiled.status, 0, `${resolution}: ${compiled.stdout}`);
    }
    const { code, stdout, stderr } = await runToEnd(process.execPath, [join(project, 'out', 'main.js')], {});
    assert.deepEqual([code, stdout, stderr], [0, '0.1.0 function\n', '']);
  };

  it('is installed from the service', async () => {
    const project = newProject('from-service');
    await install(project, `${service.url}/sdk.tgz`);
    await compileAndRun(project);
  });

  it('is installed from its folder, with and without the compiler', async () => {
    for (const hasCompiler of [true, false]) {
      const copy = join(folder, `repository-${hasCompiler}`);
      cpSync(join(root, 'sdk'), join(copy, 'sdk'), { recursive: true, filter: (file) => !/\/dist(\/|$)/.test(file) });
      if (hasCompiler) symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
      const project = newProject(`from-folder-${hasCompiler}`);
      await install(project, join(copy, 'sdk'));
      await compileAndRun(project);
    }
  });

  it('has the same bytes each time it is packed', () => {
    assert.ok(packed(sdkPackageFiles(root)).equals(packed(sdkPackageFiles(root))));
  });
});

describe('npm in this repository', () => {
  it('warns about no version of Node.js that README allows', () => {
    const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--omit=dev'];
    const { status, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /EBADENGINE/);
  });
});
