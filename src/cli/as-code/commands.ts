import { Argument, Option } from 'commander';
import {
  connectionOptions,
  type Declaration,
  jsonOption,
  lazily,
  type OptionWords,
  yesOption,
} from '../declaration.ts';

const directory = new Argument('[dir]', 'the directory of the files').default('agents');

const planOptions: readonly (OptionWords | Option)[] = [
  ...connectionOptions,
  ['--publish', 'publish the applied changes'],
  ['--delete', 'delete agents, phone numbers, workflows, knowledge bases and documents whose file was removed'],
  ['--adopt', 'link new files to existing agents and workflows with the same name'],
  ['--force', 'overwrite changes made on the server since the last pull'],
];

/** Agents as code. */
export const asCodeCommands: readonly Declaration[] = [
  {
    name: 'pull',
    description: 'write the agents, phone numbers, workflows and knowledge bases of the workspace to files',
    argument: directory,
    options: [
      ...connectionOptions,
      new Option('--format <format>', 'format of new files (default: that of the directory, or yaml)').choices([
        'yaml',
        'json',
      ]),
      ['--full', 'write all fields, including defaults'],
      ['--force', 'overwrite local changes'],
      jsonOption,
    ],
    about: `The default directory is agents/. Files contain the writable fields; a field that
is left out has its default value. Local changes are kept. The state file
.voice-agents.json records which file belongs to which agent.

Phone numbers are in numbers/, if the API key has phone-numbers:read: who answers
and who may call, with agents named by their file. Files contain no credentials.
Workflows are in workflows/, if it has workflows:read: secrets stay names. Knowledge
bases are in knowledge/, if it has knowledge:read, without their documents.`,
    examples: ['', 'staging --profile staging --format json'],
    run: lazily(() => import('./pull.ts'), 'runPull'),
  },
  {
    name: 'plan',
    description: 'show what apply would change',
    argument: directory,
    options: [
      ...planOptions,
      ['--exit-code', 'exit with 7 if there are changes to apply, or 5 if some would be skipped'],
      jsonOption,
    ],
    run: lazily(() => import('./apply-command.ts'), 'runPlan'),
  },
  {
    name: 'apply',
    description: 'apply the files to the workspace',
    argument: directory,
    options: [...planOptions, ['--description <text>', 'description of the new versions'], yesOption, jsonOption],
    about: `Shows the plan and asks for confirmation. Agents that were changed on the server
since the last pull are skipped. If anything fails or is skipped, it is listed
and the exit code is not 0; you can run the command again.`,
    examples: ['', '--yes --publish --description "Opening hours"'],
    run: lazily(() => import('./apply-command.ts'), 'runApply'),
  },
];
