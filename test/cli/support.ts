import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VoiceAgents } from '../../sdk/src/index.ts';
import { endWithTests } from '../support/children.ts';
import { sqliteEngine } from '../support/engines.ts';
import { type Finished, runCommand } from '../support/process.ts';
import { type Service, useService } from '../support/service.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const command = join(root, 'bin', 'voice-agents.js');

/** The command line with a running service, and a key for a new workspace in its environment. */
export interface CommandLine {
  readonly service: Service;
  /** An SDK client for the same workspace. */
  readonly client: VoiceAgents;
  readonly key: string;
  /** For files, including the profiles. */
  readonly folder: string;
  readonly settings: Record<string, string>;
  run(args: readonly string[], options?: { input?: string; settings?: Record<string, string> }): Promise<Finished>;
  /** The output of a command that must succeed. */
  output(args: readonly string[], input?: string): Promise<string>;
}

export function useCommandLine(options: Parameters<typeof useService>[1] = {}): CommandLine {
  const service = useService(sqliteEngine(), options);
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-cli-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const line = { service, folder } as { -readonly [Name in keyof CommandLine]: CommandLine[Name] };
  before(async () => {
    line.key = (await service.newKey()).key;
    line.client = new VoiceAgents({ apiKey: line.key, baseUrl: service.url });
    line.settings = {
      VOICE_AGENTS_PROFILES: join(folder, 'profiles.json'),
      VOICE_AGENTS_API_KEY: line.key,
      VOICE_AGENTS_BASE_URL: service.url,
    };
  });
  line.run = (args, { input, settings } = {}) => runCommand(args, { ...line.settings, ...settings }, input);
  line.output = async (args, input) => {
    const { code, stdout, stderr } = await line.run(args, input === undefined ? {} : { input });
    assert.equal(stderr, '');
    assert.equal(code, 0);
    return stdout;
  };
  return line;
}

/** The command on a terminal of 80 columns, created by `script`. */
export interface Terminal {
  readonly child: ChildProcess;
  /** Resolves when this has been shown. */
  shown(text: string): Promise<void>;
  type(text: string): void;
  /** Everything that was shown, and the exit code. */
  end(): Promise<{ code: number | null; screen: string }>;
}

export const hasScript = spawnSync('script', ['--version']).status === 0;

export function onTerminal(args: readonly string[], settings: Record<string, string>): Terminal {
  const words = [process.execPath, command, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols 80 rows 24; exec ${words}`, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...settings },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  endWithTests(child);
  let screen = '';
  const seen = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk;
    for (const look of seen) look();
  });
  const closed = once(child, 'close');
  return {
    child,
    shown: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (screen.includes(text)) resolve();
        };
        seen.add(look);
        look();
        closed.then(() => reject(new Error(`it ended without showing "${text}":\n${screen}`)));
      }),
    type: (text) => child.stdin.write(text),
    end: async () => {
      const [code] = await closed;
      return { code, screen: screen.replaceAll('\r\n', '\n') };
    },
  };
}
