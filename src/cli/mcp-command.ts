import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions, connect } from './connection.ts';
import type { Surroundings } from './surroundings.ts';

/** `voice-agents mcp`: the agents as tools of a language model. */
export function addMcpCommand(program: Command, surroundings: Surroundings): void {
  const command = program
    .command('mcp')
    .description('serve the agents as tools to an MCP client, over standard input and output')
    .option('--write', 'offer the tools that change agents as well');
  addConnectionOptions(command).action(
    async ({ write = false, ...options }: ConnectionOptions & { write?: boolean }) => {
      const { client, baseUrl } = await connect(options, surroundings.environment);
      // Loaded here, so that the other commands do not wait for the protocol's parts.
      const { serveMcp } = await import('../mcp/stdio.ts');
      await serveMcp({ client, baseUrl, version: surroundings.version, doesWrite: write }, surroundings);
    },
  );
}
