import type { Command } from 'commander';
import { addConnectionOptions, type CommandOptions } from '../connection/connection.ts';
import type { CommandContext } from '../context.ts';
import { exitCodeHelp } from '../failures.ts';
import { addFilterOptions } from '../resources/commands.ts';
import { resourceOperation } from '../resources/operations.ts';
import * as help from './help.ts';
import type { AnalyzeOptions, ChatOptions, ExportOptions } from './options.ts';

/** `voice-agents chat`. The implementation is loaded on demand. */
export function addChatCommand(program: Command, context: CommandContext): void {
  const made = program
    .command('chat <id-or-name>')
    .description('chat with an agent of a service')
    .option('--version <version>', 'a number, "latest" or "published"', 'latest')
    .option('--variable <name=value>', 'a value for {{name}} in prompts and texts; repeatable', collected)
    .option('--json', 'print JSON, one reply per line')
    .addHelpText('after', help.chat)
    .action(async (target: string, options: ChatOptions) =>
      (await import('./chat.ts')).chatWithAgent(target, options, context),
    );
  addConnectionOptions(made);
}

/** `voice-agents calls …`: the call operations of the API, through the SDK. */
export function addCallCommands(program: Command, context: CommandContext): void {
  const calls = program
    .command('calls')
    .description('list, show, analyze, end, export and delete calls')
    .addHelpText('after', `${help.calls}${exitCodeHelp}`);
  addReads(calls, context);
  addChanges(calls, context);
  for (const made of calls.commands) {
    // An export is always JSON.
    if (made.name() !== 'export') made.option('--json', 'print JSON, one call per line');
    addConnectionOptions(made);
  }
}

function addReads(calls: Command, context: CommandContext): void {
  const show = () => import('./show.ts');

  command(calls, 'transcript <id>', help.transcript)
    .description('show what was said in a call')
    .action(async (id: string, options: CommandOptions) => (await show()).showTranscript(id, options, context));

  command(calls, 'recording <id>', help.recording)
    .description('print a link to the recording of a call')
    .action(async (id: string, options: CommandOptions) => (await show()).showRecording(id, options, context));

  addFilterOptions(command(calls, 'export [id]', help.exported), resourceOperation('calls.list'))
    .description('write calls with their transcripts as JSON Lines, or one call as a simulation')
    .option('--out <path>', 'the file to write (default: standard output); with an id, the folder (default: this one)')
    .action(async (id: string | undefined, options: ExportOptions) =>
      id === undefined
        ? (await import('./export.ts')).exportCalls(options, context)
        : (await import('./export-call.ts')).exportCall(id, options, context),
    );
}

function addChanges(calls: Command, context: CommandContext): void {
  const work = () => import('./changes.ts');

  command(calls, 'end <id>', help.end)
    .description('end a call')
    .action(async (id: string, options: CommandOptions) => (await work()).endCall(id, options, context));

  command(calls, 'analyze <id>', help.analyze)
    .description('analyze a call again, or try other fields on it')
    .option('--preview', 'only show the result, without storing it')
    .option('--fields <file>', 'a JSON file with the fields to extract, as in postCallAnalysisData')
    .option('--model <name>', 'the model, in place of the agent’s')
    .option('--agent-version <version>', 'whose fields and model: a number, "latest" or "published"')
    .action(async (id: string, options: AnalyzeOptions) =>
      (await import('./analysis.ts')).analyzeCall(id, options, context),
    );
}

function command(calls: Command, name: string, text: string): Command {
  return calls.command(name).addHelpText('after', text);
}

function collected(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
