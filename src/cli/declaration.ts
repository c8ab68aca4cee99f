import { type Argument, type Command, Option } from 'commander';
import type { CommandContext } from './context.ts';

/** The flags and the description of an option, and how commander parses its value or its default. */
export type OptionWords = readonly [flags: string, description: string, ...rest: unknown[]];

/** A command and its help, as data. */
export interface Declaration {
  /** With the commands above it and its arguments, such as `agents publish <id>`. */
  readonly name: string;
  readonly alias?: string;
  /** Runs if the command above is used without one. */
  readonly isDefault?: boolean;
  readonly description: string;
  /** An argument that the help describes, which is not in the name. */
  readonly argument?: Argument;
  readonly options?: readonly (OptionWords | Option)[];
  /** What the help says below the options. */
  readonly about?: string;
  /** What may follow the name. */
  readonly examples?: readonly string[];
  /** Missing if there are only commands below it. */
  readonly run?: Run;
}

/** Gets the arguments, the options and the command. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments and options are those of the declaration.
export type Run = (context: CommandContext, ...given: any[]) => unknown;

/** What options with a version take. */
export const versionText = 'a number, "latest" or "published"';
export const jsonOption: OptionWords = ['--json', 'print JSON'];
export const yesOption: OptionWords = ['--yes', 'do not ask for confirmation; required without a terminal'];
export const profileOption = new Option('--profile <name>', 'profile saved by "voice-agents login"').env(
  'VOICE_AGENTS_PROFILE',
);
/** The options of every command that connects to a service. */
export const connectionOptions: readonly Option[] = [
  profileOption,
  new Option('--base-url <url>', 'URL of the service').env('VOICE_AGENTS_BASE_URL'),
];

export function requiredOption(flags: string, description: string): Option {
  return new Option(flags, description).makeOptionMandatory();
}

/** For options that can be repeated. */
export function collected(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Runs a function of a module that is loaded when the command runs, so that other commands start without it. */
export function lazily<Name extends string>(
  load: () => Promise<Record<Name, (...given: never[]) => unknown>>,
  name: Name,
): Run {
  return async (context, ...given) => {
    const work = (await load())[name] as (...given: unknown[]) => unknown;
    await work(...given.slice(0, -1), context);
  };
}

/** Adds a command below those in its name, which must exist. */
export function declare(program: Command, declaration: Declaration, context: CommandContext): void {
  const { name, alias, isDefault = false, argument, options = [], run } = declaration;
  const [, words = '', command = '', args = ''] = /^(.*?)([\w-]+)((?: [<[].*)?)$/.exec(name) ?? [];
  const above = words.split(' ').filter((word) => word !== '');
  const parent = above.reduce((outer, word) => childOf(outer, word) as Command, program);
  const made = parent.command(`${command}${args}`, { isDefault }).description(declaration.description);
  if (alias !== undefined) made.alias(alias);
  if (argument !== undefined) made.addArgument(argument);
  for (const option of options) {
    if (option instanceof Option) made.addOption(option);
    else made.option(...(option as [string, string]));
  }
  if (run !== undefined) made.action(async (...given) => void (await run(context, ...given)));
  const help = helpOf(declaration, `voice-agents ${words}${command}`);
  if (help !== '') made.addHelpText('after', help);
}

function helpOf({ about, examples = [] }: Declaration, command: string): string {
  const lines = examples.map((example) => `  ${`${command} ${example}`.trimEnd()}\n`);
  const list = lines.length === 0 ? '' : `\nExamples:\n${lines.join('')}`;
  return `${about === undefined ? '' : `\n${about}\n`}${list}`;
}

export function childOf(command: Command, name: string): Command | undefined {
  return command.commands.find((each) => each.name() === name || each.aliases().includes(name));
}
