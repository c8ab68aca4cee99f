import type { Command } from 'commander';
import type { ListAuditOptions } from './audit.ts';
import { addConnectionOptions } from './connection/connection.ts';
import type { CommandContext } from './context.ts';
import { exitCodeHelp } from './failures.ts';
import { withPageOptions } from './resources/pages.ts';

const help = `
Examples:
  voice-agents audit list
  voice-agents audit list --resource agt_…
  voice-agents audit list --all --json | jq -r 'select(.routeId == "agents.delete") | .at'
`;

/** `voice-agents audit …`, through the SDK. */
export function addAuditCommands(program: Command, context: CommandContext): void {
  const audit = program
    .command('audit')
    .description('list who changed what')
    .addHelpText('after', `${help}${exitCodeHelp}`);
  const list = withPageOptions(audit.command('list'))
    .description('list changes, newest first')
    .option('--resource <id>', 'only changes of this agent, key or other resource')
    .option('--json', 'print JSON, one change per line')
    .addHelpText('after', help)
    .action(async (options: ListAuditOptions) => (await import('./audit.ts')).listAudit(options, context));
  addConnectionOptions(list);
}
