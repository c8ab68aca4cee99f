import { Command } from 'commander';
import { agentCommands } from './agents/commands.ts';
import { analyticsCommands } from './analytics/commands.ts';
import { asCodeCommands } from './as-code/commands.ts';
import { backupCommands } from './backup/commands.ts';
import { callCommands, chatCommand } from './calls/commands.ts';
import { completionCommand } from './completion/command.ts';
import { connectionCommands, mcpCommand } from './connection/commands.ts';
import { type CommandContext, expectReadersToGo, paint } from './context.ts';
import { type Declaration, declare } from './declaration.ts';
import { exitCodeHelp, reportFailure } from './failures.ts';
import { keyCommands } from './keys/commands.ts';
import { knowledgeCommands } from './knowledge/commands.ts';
import { llmCheckCommand } from './llm-check/command.ts';
import { mediaCommands } from './media/commands.ts';
import { phoneCommands } from './phone/commands.ts';
import { providerCommands } from './providers/commands.ts';
import type { Action } from './resources/action.ts';
import { addResourceCommands, declarationOf } from './resources/commands.ts';
import type { ResourceOperation } from './resources/operation.ts';
import { resourceOperations } from './resources/operations.ts';
import { secretCommands } from './secrets/commands.ts';
import { simulateCommand } from './simulate/command.ts';
import { speechCommands, voiceCommands } from './speech/commands.ts';
import { webhookCommands } from './webhooks/commands.ts';
import { workflowCommands } from './workflows/commands.ts';

const examples = `
Examples:
  echo "$KEY" | voice-agents login --base-url http://127.0.0.1:8080
  voice-agents agents list
  voice-agents agents create --help
`;

const serveCommand: Declaration = {
  name: 'serve',
  description: 'start the service; configured by environment variables (see docs/configuration.md)',
  run: async ({ environment }) => (await import('../main.ts')).serve(environment),
};

/** In the order of the help. */
const commands: Readonly<Record<string, readonly (Declaration | Action)[]>> = {
  'Work with a service:': [
    ...connectionCommands,
    ...agentCommands,
    ...asCodeCommands,
    ...callCommands,
    ...phoneCommands,
    ...analyticsCommands,
    ...knowledgeCommands,
    ...providerCommands,
    ...secretCommands,
    ...voiceCommands,
    ...webhookCommands,
    ...workflowCommands,
    mcpCommand,
  ],
  'Try agents out:': [chatCommand, simulateCommand, llmCheckCommand],
  'Run a service and manage its database:': [
    serveCommand,
    ...keyCommands,
    ...backupCommands,
    ...mediaCommands,
    ...speechCommands,
  ],
  'Other:': [completionCommand],
};

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
    .addHelpText('after', `${examples}${exitCodeHelp}\n`);

  for (const [title, rows] of Object.entries(commands)) {
    program.commandsGroup(title);
    for (const row of rows) declare(program, declarationOf(row), context);
  }
  // After the others, whose commands take precedence.
  addResourceCommands(program, operations, context);
  program.helpCommand('help [command]', 'show help for a command');

  return program;
}
