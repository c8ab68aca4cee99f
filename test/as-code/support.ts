import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { VoiceAgents } from '../../sdk/src/index.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import { type StartedService, useStartedService } from '../sdk/support/started-service.ts';
import { runInProcess } from '../support/command-line.ts';
import { type Finished, runCommand } from '../support/process.ts';

/** A separate workspace, and the command with a key for it. */
export interface Caller {
  readonly key: string;
  readonly client: VoiceAgents;
  run(...args: string[]): Promise<Finished>;
  /** The same in a process of its own. */
  runProcess(...args: string[]): Promise<Finished>;
}

export interface Ground {
  readonly service: StartedService;
  newCaller(options?: { baseUrl?: string; key?: string; scopes?: readonly Scope[] }): Promise<Caller>;
  /** An empty folder. */
  newFolder(): string;
}

/** A running service, and folders that are removed at the end. */
export function useGround(): Ground {
  const service = useStartedService();
  const root = mkdtempSync(join(tmpdir(), 'voice-agents-as-code-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  return {
    service,
    newFolder: () => mkdtempSync(join(root, 'agents-')),
    newCaller: async ({ baseUrl = service.url, key, scopes } = {}) => {
      const apiKey = key ?? (await service.newKey(scopes === undefined ? {} : { scopes }));
      const settings = { VOICE_AGENTS_API_KEY: apiKey, VOICE_AGENTS_BASE_URL: baseUrl };
      return {
        key: apiKey,
        client: new VoiceAgents({ apiKey, baseUrl: service.url }),
        run: (...args) => runInProcess(args, settings),
        runProcess: (...args) => runCommand(args, settings),
      };
    },
  };
}

/** The files of a folder by name, without dotfiles. */
export function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

export function write(folder: string, file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}

export function yamlOf(name: string, more = ''): string {
  return `name: ${JSON.stringify(name)}\nvoiceId: ja-JP-Nanami\n${more}`;
}

export function stateOf(folder: string) {
  return JSON.parse(readFileSync(join(folder, '.voice-agents.json'), 'utf8'));
}
