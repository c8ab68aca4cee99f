import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions, connect } from './connection/connection.ts';
import type { CommandContext } from './context.ts';

/** `voice-agents mcp`: an MCP server that exposes the agents as tools. */
export function addMcpCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('mcp')
    .description('run an MCP server over standard input and output')
    .option('--write', 'also offer tools that change data: agents and chats');
  addConnectionOptions(command).action(
    async ({ write = false, ...options }: ConnectionOptions & { write?: boolean }) => {
      const { client, baseUrl } = await connect(options, context.environment);
      // Loaded lazily, so that other commands start without the MCP dependencies.
      const { serveMcp } = await import('../mcp/stdio.ts');
      await serveMcp({ client, baseUrl, version: context.version, doesWrite: write }, context);
    },
  );
}
