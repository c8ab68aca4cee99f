import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { addConnectionOptions, type ConnectionOptions } from './connection.ts';

const help = `
Prints the URL if there is no browser, such as in an SSH session.

Examples:
  voice-agents open
  voice-agents open --profile staging
`;

/** `voice-agents open`. */
export function addOpenCommand(program: Command, context: CommandContext): void {
  addConnectionOptions(program.command('open'))
    .description('open the dashboard of the service in a browser')
    .addHelpText('after', help)
    .action(async (options: ConnectionOptions) => (await import('./open.ts')).openDashboard(options, context));
}
