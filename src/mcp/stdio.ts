import { Console } from 'node:console';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpOptions } from './server.ts';

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Serves the client that started the process until it disconnects or a signal arrives. */
export async function serveMcp(options: Omit<McpOptions, 'log'>, { stdin, stdout, stderr }: Streams): Promise<void> {
  // Standard output is reserved for the protocol, so the console is redirected to standard error.
  globalThis.console = new Console(stderr, stderr);
  const log = (text: string) => void stderr.write(`voice-agents: ${text}\n`);
  const transport = new StdioServerTransport(stdin, stdout);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const handle = serveStdio(() => createMcpServer({ ...options, log }), {
    transport,
    // Only the name, because the message may quote the input.
    onerror: (error) => log(`protocol error: ${error.name}`),
  });
  const onClose = transport.onclose;
  transport.onclose = () => {
    onClose?.();
    resolve();
  };
  const stop = () => void handle.close();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  await closed;
}
