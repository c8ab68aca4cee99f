import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { endWithTests } from '../../support/children.ts';
import { command, environmentOf } from './mcp-client.ts';

type Message = Record<string, unknown>;

/** The server at the level of lines, for what a protocol client hides. */
export class McpProcess {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  stderr = '';
  readonly #exited: Promise<unknown[]>;

  constructor(context: TestContext, key: string, baseUrl: string, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [command, 'mcp', ...args], { env: environmentOf(key, baseUrl) });
    endWithTests(this.child);
    this.#exited = once(this.child, 'close');
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk;
    });
    if (this.child.stdout !== null) {
      createInterface(this.child.stdout).on('line', (line) => {
        this.lines.push(line);
        this.child.emit('answer');
      });
    }
    context.after(() => this.child.kill('SIGKILL'));
  }

  /** Sent unchanged. */
  write(text: string): void {
    this.child.stdin?.write(text);
  }

  send(message: Message): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  initialize(): void {
    const clientInfo = { name: 'bare', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    this.send({ id: 0, method: 'initialize', params });
    this.send({ method: 'notifications/initialized' });
  }

  /** The response to a request, once it has arrived. */
  async answer(id: number): Promise<Message> {
    for (;;) {
      const found = this.lines.map((line) => JSON.parse(line) as Message).find((message) => message.id === id);
      if (found !== undefined) return found;
      await once(this.child, 'answer');
    }
  }

  async ended(): Promise<number | null> {
    const [code] = await this.#exited;
    return code as number | null;
  }
}
