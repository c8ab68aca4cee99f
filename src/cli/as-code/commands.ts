import { type Command, Option } from 'commander';
import { addConnectionOptions } from '../connection/connection.ts';
import { type CommandContext, lazily } from '../context.ts';

/** `voice-agents pull`, `plan` and `apply`: agents as code. The implementation is loaded on demand. */
export function addAsCodeCommands(program: Command, context: CommandContext): void {
  const json = ['--json', 'print JSON'] as const;

  const format = new Option('--format <format>', 'format of new files (default: that of the directory, or yaml)');
  addConnectionOptions(directoryCommand(program, 'pull'))
    .description('write the agents of the workspace to files')
    .addOption(format.choices(['yaml', 'json']))
    .option('--full', 'write all fields, including defaults')
    .option('--force', 'overwrite local changes')
    .option(...json)
    .addHelpText('after', pullHelp)
    .action(lazily(context, () => import('./pull.ts'), 'runPull'));

  planOptions(directoryCommand(program, 'plan').description('show what apply would change'))
    .option('--exit-code', 'exit with 7 if there are changes to apply, or 5 if some would be skipped')
    .option(...json)
    .action(lazily(context, () => import('./apply-command.ts'), 'runPlan'));

  planOptions(directoryCommand(program, 'apply').description('apply the files to the workspace'))
    .option('--description <text>', 'description of the new versions')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .option(...json)
    .addHelpText('after', applyHelp)
    .action(lazily(context, () => import('./apply-command.ts'), 'runApply'));
}

function directoryCommand(program: Command, name: string): Command {
  return program.command(name).argument('[dir]', 'the directory of the files', 'agents');
}

function planOptions(command: Command): Command {
  return addConnectionOptions(command)
    .option('--publish', 'publish the applied changes')
    .option('--delete', 'delete agents whose file was removed')
    .option('--adopt', 'link new files to existing agents with the same name')
    .option('--force', 'overwrite changes made on the server since the last pull');
}

const pullHelp = `
The default directory is agents/. Files contain the writable fields; a field that
is left out has its default value. Local changes are kept. The state file
.voice-agents.json records which file belongs to which agent.

Examples:
  voice-agents pull
  voice-agents pull staging --profile staging --format json
`;

const applyHelp = `
Shows the plan and asks for confirmation. Agents that were changed on the server
since the last pull are skipped. If anything fails or is skipped, it is listed
and the exit code is not 0; you can run the command again.

Examples:
  voice-agents apply
  voice-agents apply --yes --publish --description "Opening hours"
`;
