import { type Command, Option } from 'commander';

/** The flags and the description of an option, and how commander parses its value or its default. */
export type OptionWords = readonly [flags: string, description: string, ...rest: unknown[]];

/** A command and its help, as data. */
export interface Declaration {
  /** With its arguments, such as `publish <id>`. */
  readonly name: string;
  readonly alias?: string;
  readonly description: string;
  readonly options?: readonly (OptionWords | Option)[];
  /** What the help says below the options. */
  readonly about?: string;
  /** What may follow the name. */
  readonly examples?: readonly string[];
}

export const jsonOption: OptionWords = ['--json', 'print JSON'];
export const yesOption: OptionWords = ['--yes', 'do not ask for confirmation; required without a terminal'];

export function requiredOption(flags: string, description: string): Option {
  return new Option(flags, description).makeOptionMandatory();
}

/** The options of every command that connects to a service. */
export function connectionOptions(): readonly [profile: Option, baseUrl: Option] {
  return [
    new Option('--profile <name>', 'profile saved by "voice-agents login"').env('VOICE_AGENTS_PROFILE'),
    new Option('--base-url <url>', 'URL of the service').env('VOICE_AGENTS_BASE_URL'),
  ];
}

export function declare(parent: Command, declaration: Declaration): Command {
  const { name, alias, description, options = [], about, examples = [] } = declaration;
  const made = parent.command(name).description(description);
  if (alias !== undefined) made.alias(alias);
  addOptions(made, options);
  const command = namesAbove(made).join(' ');
  const lines = examples.map((example) => `  ${`${command} ${example}`.trimEnd()}\n`);
  const help = [
    ...(about === undefined ? [] : [`\n${about}\n`]),
    ...(lines.length === 0 ? [] : ['\nExamples:\n', ...lines]),
  ];
  if (help.length > 0) made.addHelpText('after', help.join(''));
  return made;
}

export function addOptions(made: Command, options: readonly (OptionWords | Option)[]): Command {
  for (const option of options) {
    if (option instanceof Option) made.addOption(option);
    else made.option(...(option as [string, string]));
  }
  return made;
}

function namesAbove(command: Command): string[] {
  return [...(command.parent === null ? [] : namesAbove(command.parent)), command.name()];
}
