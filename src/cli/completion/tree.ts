import type { Command, Option } from 'commander';

/** What can be completed: files, profile names, one of these words, or nothing. */
export type Values = 'files' | 'profiles' | readonly string[] | null;

export interface Place {
  /** The command path, such as `agents list`; empty at the root. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly {
    readonly flag: string;
    readonly description: string;
    readonly takesValue: boolean;
    readonly values: Values;
  }[];
  /** The values of its first argument. */
  readonly values: Values;
}

/** All places of the command line, read from the registered commands. */
export function placesOf(program: Command): Place[] {
  return placesBelow(program, []);
}

function placesBelow(command: Command, path: readonly string[]): Place[] {
  const help = command.createHelp();
  const inner = help.visibleCommands(command).filter(({ _name }: Command & { _name?: string }) => _name !== '');
  const named = inner.map((sub) => ({ name: sub.name(), description: sub.description() }));
  const options = help.visibleOptions(command).flatMap((option) => describe(option));
  const [first] = command.registeredArguments;
  const values = first === undefined ? null : valuesOf(first.name(), first.argChoices);
  const place: Place = { path: path.join(' '), commands: named, options, values };
  return [place, ...command.commands.flatMap((sub) => placesBelow(sub, [...path, sub.name()]))];
}

function describe(option: Option): Place['options'] {
  const takesValue = option.required || option.optional;
  const [, placeholder = ''] = /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(option.flags) ?? [];
  const values = takesValue ? valuesOf(placeholder, option.argChoices, option.attributeName()) : null;
  return option.long ? [{ flag: option.long, description: option.description, takesValue, values }] : [];
}

/** The placeholders of values that are a file or a folder, or can be. */
const namesOfFiles: readonly string[] = ['file', 'file-or-id', 'id-or-file', 'path'];

function valuesOf(placeholder: string, choices: readonly string[] | undefined, option = placeholder): Values {
  if (choices !== undefined) return choices;
  if (namesOfFiles.includes(placeholder)) return 'files';
  return option === 'profile' ? 'profiles' : null;
}
