import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CallToolResult, Client, type ClientOptions, InMemoryTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { VoiceAgents } from '../../../sdk/src/index.ts';
import { createMcpServer } from '../../../src/mcp/server.ts';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
export const command = join(root, 'bin', 'voice-agents.js');

export interface McpConnection {
  readonly client: Client;
  /** What the server has reported about itself, for standard error. */
  log(): string;
  call(name: string, given?: Record<string, unknown>): Promise<CallToolResult>;
  /** The result of a call that must succeed; its text must match. */
  // biome-ignore lint/suspicious/noExplicitAny: results are checked field by field.
  get(name: string, given?: Record<string, unknown>): Promise<any>;
  /** The text of a call that must fail. */
  refusal(name: string, given?: Record<string, unknown>): Promise<string>;
  toolNames(): Promise<string[]>;
}

export interface McpSettings {
  readonly key: string;
  readonly baseUrl: string;
  readonly args?: readonly string[];
  readonly client?: ClientOptions;
}

/** A test, or anything else with an end. */
export interface Ending {
  after(work: () => Promise<void>): void;
}

/** The server inside the test's process, with the official client. */
export async function connectMcp(
  context: Ending,
  { key, baseUrl, args = [] }: Omit<McpSettings, 'client'>,
): Promise<McpConnection> {
  let log = '';
  const server = await createMcpServer({
    client: new VoiceAgents({ apiKey: key, baseUrl }),
    baseUrl,
    version: '1',
    flags: (['--write', '--allow-calls'] as const).filter((flag) => args.includes(flag)),
    log: (text) => {
      log += `${text}\n`;
    },
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there as never);
  const client = new Client({ name: 'test', version: '1' });
  context.after(() => client.close());
  await client.connect(here);
  return { ...callsOf(client), client, log: () => log };
}

/** `voice-agents mcp` with the official client. It exits with the test. */
export async function connectMcpProcess(context: Ending, settings: McpSettings): Promise<McpConnection> {
  const { key, baseUrl, args = [], client: options } = settings;
  const client = new Client({ name: 'test', version: '1' }, options);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [command, 'mcp', ...args],
    env: environmentOf(key, baseUrl),
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  context.after(() => client.close());
  await client.connect(transport);
  return { ...callsOf(client), client, log: () => log };
}

export function callsOf(client: Client): Omit<McpConnection, 'client' | 'log'> {
  const call: McpConnection['call'] = (name, given = {}) => client.callTool({ name, arguments: given });
  return {
    call,
    get: async (name, given) => {
      const result = await call(name, given);
      assert.equal(result.isError ?? false, false, textOf(result));
      assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent);
      return result.structuredContent;
    },
    refusal: async (name, given) => {
      const result = await call(name, given);
      assert.equal(result.isError, true, textOf(result));
      assert.doesNotMatch(textOf(result), /vak_\w|\n\s+at /);
      return textOf(result);
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

export function environmentOf(key: string, baseUrl: string): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, VOICE_AGENTS_API_KEY: key, VOICE_AGENTS_BASE_URL: baseUrl };
}

function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
