import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { Command } from 'commander';
import { addAgentCommands } from './agents/commands.ts';
import { addAsCodeCommands } from './as-code/commands.ts';
import { addBackupCommands } from './backup-commands.ts';
import { addCompletionCommand } from './completion/command.ts';
import { describeFailure, exitCodeFor, exitCodeHelp } from './failures.ts';
import { addKeyCommands } from './key-commands.ts';
import { addLoginCommands } from './login-commands.ts';
import { addMcpCommand } from './mcp-command.ts';
import { expectReadersToGo } from './output.ts';
import { paint, type Surroundings } from './surroundings.ts';

// Compiled, this file lies one folder deeper than in the source.
const packageFile = findPackageJSON(import.meta.url) as string;
const { version } = JSON.parse(readFileSync(packageFile, 'utf8'));
const { env: environment, stdin, stdout, stderr } = process;
const surroundings: Surroundings = { environment, version, stdin, stdout, stderr };

const examples = `
Examples:
  echo "$KEY" | voice-agents login --base-url http://127.0.0.1:8080
  voice-agents agents list
  voice-agents agents create --help
`;

const program = new Command('voice-agents')
  .description('Run the Voice Agent Service, and work with the agents in it.')
  .version(version)
  .showHelpAfterError('(--help shows what there is)')
  // An error names the argument that is not understood, which may be a key in the wrong place.
  .configureOutput({ outputError: (text, write) => write(text.replaceAll(/vak_\w+/g, 'vak_…')) })
  .configureHelp({ styleTitle: (title) => paint('bold', title, stdout) })
  // What follows a command is the command's own: "agents get --version 2" does not ask for that of the program.
  .enablePositionalOptions()
  .exitOverride()
  .addHelpText('after', `${examples}${exitCodeHelp}`);

// Each command loads its parts when it is called, so that none waits for those of another.
program.commandsGroup('A service, wherever it runs:');
addLoginCommands(program, surroundings);
addAgentCommands(program, surroundings);
addAsCodeCommands(program, surroundings);
addMcpCommand(program, surroundings);
program.commandsGroup('A service on this machine, by its database:');
program
  .command('serve')
  .description('start the service; it is set up by environment variables (see the README)')
  .action(async () => {
    const { serve } = await import('../main.ts');
    await serve(process.env);
  });
addKeyCommands(program, surroundings);
addBackupCommands(program, surroundings);
program.commandsGroup('The command line itself:');
addCompletionCommand(program, surroundings);
program.helpCommand('help [command]', 'show the help of a command');

expectReadersToGo(stdout, stderr);
try {
  await program.parseAsync(process.argv);
} catch (error) {
  stderr.write(describeFailure(error));
  process.exitCode = exitCodeFor(error);
}
