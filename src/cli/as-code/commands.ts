import { type Command, Option } from 'commander';
import { addConnectionOptions } from '../connection.ts';
import type { Surroundings } from '../surroundings.ts';
import type { ApplyCommandOptions, PlanCommandOptions, PullCommandOptions } from './options.ts';

const defaultFolder = 'agents';

/** `voice-agents pull`, `plan` and `apply`: the agents of a workspace as files. Their parts are loaded when one is called. */
export function addAsCodeCommands(program: Command, surroundings: Surroundings): void {
  const json = ['--json', 'print JSON for programs'] as const;

  addConnectionOptions(
    program
      .command('pull [dir]')
      .description('write every agent of the workspace as one file each')
      .addOption(
        new Option('--format <format>', 'of new files; default: that of the folder, or yaml').choices(['yaml', 'json']),
      )
      .option('--full', 'write every field, also those that have their default')
      .option('--force', 'overwrite files that were changed here')
      .option(...json),
  )
    .addHelpText('after', pullHelp)
    .action(async (dir: string | undefined, options: PullCommandOptions) => {
      const { runPull } = await import('./pull-command.ts');
      await runPull(dir ?? defaultFolder, options, surroundings);
    });

  planOptions(program.command('plan [dir]').description('show, field by field, what apply would change'))
    .option('--exit-code', 'end with 7 where there is something to apply, with 5 where something stands against it')
    .option(...json)
    .action(async (dir: string | undefined, options: PlanCommandOptions) => {
      const { runPlan } = await import('./apply-command.ts');
      await runPlan(dir ?? defaultFolder, options, surroundings);
    });

  planOptions(program.command('apply [dir]').description('make the workspace what the files say'))
    .option('--description <text>', 'what the versions are about that this makes')
    .option('--yes', 'do not ask; needed where nobody can be asked')
    .option(...json)
    .addHelpText('after', applyHelp)
    .action(async (dir: string | undefined, options: ApplyCommandOptions) => {
      const { runApply } = await import('./apply-command.ts');
      await runApply(dir ?? defaultFolder, options, surroundings);
    });
}

function planOptions(command: Command): Command {
  return addConnectionOptions(command)
    .option('--publish', 'publish what apply has changed')
    .option('--delete', 'delete agents whose file is gone')
    .option('--adopt', 'take an agent of the same name for the agent of a new file')
    .option('--force', 'overwrite what was changed on the server since the pull');
}

const pullHelp = `
The folder is agents/ unless another is named. Files hold what can be set; a
field that is left out has its default. What was changed here is left alone.
.voice-agents.json in the folder remembers which file is which agent.

Examples:
  voice-agents pull
  voice-agents pull staging --profile staging --format json
`;

const applyHelp = `
Shows the plan first, and asks. An agent that was changed on the server since
the pull is left alone and told. What was not done is listed, and the command
then does not end with 0; it can be run again.

Examples:
  voice-agents apply
  voice-agents apply --yes --publish --description "Opening hours"
`;
