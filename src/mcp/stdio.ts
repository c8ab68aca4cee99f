import { Console } from 'node:console';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpOptions } from './server.ts';

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Serves whoever started the process, and resolves when they have gone or a signal has come. */
export async function serveMcp(options: Omit<McpOptions, 'log'>, { stdin, stdout, stderr }: Streams): Promise<void> {
  // Standard output is the protocol's. What anything else prints goes where it does no harm.
  globalThis.console = new Console(stderr, stderr);
  const log = (text: string) => void stderr.write(`voice-agents: ${text}\n`);
  const transport = new StdioServerTransport(stdin, stdout);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const handle = serveStdio(() => createMcpServer({ ...options, log }), {
    transport,
    // By its name alone: the message quotes what came in.
    onerror: (error) => log(`${error.name} in the protocol`),
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
