import { Command } from 'commander';
import { addAgentCommands } from './agents/commands.ts';
import { addAsCodeCommands } from './as-code/commands.ts';
import { addBackupCommands } from './backup/commands.ts';
import { addCallCommands, addChatCommand } from './calls/commands.ts';
import { addCompletionCommand } from './completion/command.ts';
import { addConnectionCommands, addMcpCommand } from './connection/commands.ts';
import { type CommandContext, expectReadersToGo, paint } from './context.ts';
import { exitCodeHelp, reportFailure } from './failures.ts';
import { addKeyCommands } from './keys/commands.ts';
import { addLlmCheckCommand } from './llm-check/command.ts';
import { addResourceCommands } from './resources/commands.ts';
import type { ResourceOperation } from './resources/operation.ts';
import { resourceOperations } from './resources/operations.ts';
import { addSecretCommands } from './secrets/commands.ts';
import { addSimulateCommand } from './simulate/command.ts';
import { addSpeechCommands, addVoiceCommands } from './speech/commands.ts';
import { addWebhookCommands } from './webhooks/commands.ts';

const examples = `
Examples:
  echo "$KEY" | voice-agents login --base-url http://127.0.0.1:8080
  voice-agents agents list
  voice-agents agents create --help
`;

/** Runs one command, given the arguments after its name. */
export async function runCommandLine(
  args: readonly string[],
  context: CommandContext,
  operations = resourceOperations,
): Promise<void> {
  expectReadersToGo(context.stdout, context.stderr);
  try {
    await createProgram(context, operations).parseAsync(args, { from: 'user' });
  } catch (error) {
    reportFailure(error, context);
  }
}

function createProgram(context: CommandContext, operations: readonly ResourceOperation[]): Command {
  const { version, stdout, stderr } = context;
  const program = new Command('voice-agents')
    .description('Run the Voice Agent Service and manage its agents.')
    .version(version)
    .showHelpAfterError('(use --help for usage)')
    // Errors quote the invalid argument, which may be a misplaced API key.
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(text.replaceAll(/(vak|vat|whsec)_[\w.+/=-]+/g, '$1_…')),
    })
    .configureHelp({ styleTitle: (title) => paint('bold', title, stdout) })
    // Options after a command belong to it: "agents get --version 2" must not print the program version.
    .enablePositionalOptions()
    .exitOverride()
    .addHelpText('after', `${examples}${exitCodeHelp}`);

  program.commandsGroup('Work with a service:');
  addConnectionCommands(program, context);
  addAgentCommands(program, context);
  addAsCodeCommands(program, context);
  addCallCommands(program, context);
  addSecretCommands(program, context);
  addVoiceCommands(program, context);
  addWebhookCommands(program, context);
  addMcpCommand(program, context);
  program.commandsGroup('Try agents out:');
  addChatCommand(program, context);
  addSimulateCommand(program, context);
  addLlmCheckCommand(program, context);
  program.commandsGroup('Run a service and manage its database:');
  program
    .command('serve')
    .description('start the service; configured by environment variables (see docs/configuration.md)')
    .action(async () => (await import('../main.ts')).serve(context.environment));
  addKeyCommands(program, context);
  addBackupCommands(program, context);
  addSpeechCommands(program, context);
  program.commandsGroup('Other:');
  addCompletionCommand(program, context);
  // After the others, whose commands take precedence.
  addResourceCommands(program, operations, context);
  program.helpCommand('help [command]', 'show help for a command');

  return program;
}
