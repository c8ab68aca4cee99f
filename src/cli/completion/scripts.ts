import type { Command, Option } from 'commander';

/** A completion script. It contains everything except profile names, which it queries on demand. */
export function scriptFor(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  return { bash, zsh, fish }[shell](placesBelow(program, []));
}

/** The place is determined by the commands before the cursor, skipping option values. */
function bash(places: readonly Place[]): string {
  return `# Completion of voice-agents for bash, by "voice-agents completion bash".
_voice_agents() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} place='' words='' number word
  for ((number = 1; number < COMP_CWORD; number++)); do
    word=\${COMP_WORDS[number]}
    case $word in
      ${valueFlags(places).join('|')}) ((number++)); continue ;;
    esac
    case "$place $word" in
      ${commandPaths(places)
        .map((path) => quoted(` ${path}`))
        .join('|')}) place="$place $word" ;;
    esac
  done
  case "$place|$before" in
${places.flatMap((place) => optionsWithValue(place).map(({ flag, values }) => `    ${quoted(`${spaced(place)}|${flag}`)}) ${bashValues(values)}; return ;;`)).join('\n')}
  esac
  case $place in
${places.map((place) => `    ${quoted(spaced(place))}) ${bashPlace(place)} ;;`).join('\n')}
  esac
}
complete -F _voice_agents voice-agents
`;
}

function bashPlace(place: Place): string {
  const options = quoted(place.options.map(({ flag }) => flag).join(' '));
  const others =
    place.commands.length > 0
      ? bashValues(place.commands.map(({ name }) => name))
      : place.values === null
        ? `COMPREPLY=($(compgen -W ${options} -- "$current"))`
        : bashValues(place.values);
  return `if [[ $current == -* ]]; then COMPREPLY=($(compgen -W ${options} -- "$current")); else ${others}; fi`;
}

function bashValues(values: Values): string {
  if (values === 'files') {
    // File names may contain spaces. `compopt` fails outside of a completion, as in tests.
    return `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))`;
  }
  const words =
    values === 'profiles' ? `"$("\${COMP_WORDS[0]}" profiles --names 2>/dev/null)"` : quoted(values?.join(' ') ?? '');
  return values === null ? 'COMPREPLY=()' : `COMPREPLY=($(compgen -W ${words} -- "$current"))`;
}

function zsh(places: readonly Place[]): string {
  return `#compdef voice-agents
# Completion of voice-agents for zsh, by "voice-agents completion zsh".
_voice_agents() {
  local place='' word number
  local -a found
  for ((number = 2; number < CURRENT; number++)); do
    word=\${words[number]}
    case $word in
      (${valueFlags(places).join('|')}) ((number++)); continue ;;
    esac
    case "$place $word" in
      (${commandPaths(places)
        .map((path) => quoted(` ${path}`))
        .join('|')}) place="$place $word" ;;
    esac
  done
  case "$place|\${words[CURRENT-1]}" in
${places.flatMap((place) => optionsWithValue(place).map(({ flag, values }) => `    (${quoted(`${spaced(place)}|${flag}`)}) ${zshValues(values)}; return ;;`)).join('\n')}
  esac
  case "$place" in
${places.map((place) => `    (${quoted(spaced(place))})\n${zshPlace(place)} ;;`).join('\n')}
  esac
}
if [[ \${funcstack[1]} == _voice_agents ]]; then
  _voice_agents "$@"
else
  compdef _voice_agents voice-agents
fi
`;
}

function zshPlace(place: Place): string {
  const options = place.options.map(({ flag, description }) => quoted(`${flag}:${description}`)).join(' ');
  const commands = place.commands.map(({ name, description }) => quoted(`${name}:${description}`)).join(' ');
  const others = commands === '' ? zshValues(place.values) : `found=(${commands}); _describe command found`;
  return `      if [[ \${words[CURRENT]} == -* ]]; then found=(${options}); _describe -o option found
      else ${others}; fi`;
}

function zshValues(values: Values): string {
  if (values === 'files') return '_files';
  if (values === 'profiles') return `compadd -- \${(f)"$("\${words[1]}" profiles --names 2>/dev/null)"}`;
  return values === null ? ':' : `compadd -- ${values.map(quoted).join(' ')}`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap((place) => {
    const condition = `-n ${quoted(`__voice_agents_at ${place.path}`)}`;
    const base = `complete -c voice-agents ${condition}`;
    return [
      ...place.commands.map(({ name, description }) => `${base} -f -a ${quoted(name)} -d ${quoted(description)}`),
      ...(place.values === null || place.values === 'files' ? [] : [`${base} -f ${fishValues(place.values)}`]),
      ...(place.values === 'files' ? [`${base} -F`] : []),
      ...place.options.map(({ flag, description, takesValue, values }) => {
        const value = takesValue ? ` -r ${fishValues(values)}` : '';
        return `${base} -l ${flag.slice(2)}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# Completion of voice-agents for fish, by "voice-agents completion fish".
function __voice_agents_at
    set -l place
    set -l words (commandline -opc)
    set -e words[1]
    set -l is_value 0
    for word in $words
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $word
            case ${valueFlags(places).join(' ')}
                set is_value 1
                continue
        end
        switch (string join ' ' $place $word)
            case ${commandPaths(places).map(quoted).join(' ')}
                set -a place $word
        end
    end
    test "$place" = "$argv"
end
complete -c voice-agents -f
${lines.join('\n')}
`;
}

function fishValues(values: Values): string {
  if (values === 'files') return '-F';
  if (values === 'profiles') return `-f -a '(voice-agents profiles --names 2>/dev/null)'`;
  return values === null ? '-f' : `-f -a ${quoted(values.join(' '))}`;
}

function valueFlags(places: readonly Place[]): string[] {
  return [...new Set(places.flatMap((place) => optionsWithValue(place).map(({ flag }) => flag)))];
}

function optionsWithValue(place: Place): Place['options'] {
  return place.options.filter(({ takesValue }) => takesValue);
}

function commandPaths(places: readonly Place[]): string[] {
  return places.map(({ path }) => path).filter((path) => path !== '');
}

/** As the scripts assemble it: each command with a leading space. */
function spaced({ path }: Place): string {
  return path === '' ? '' : ` ${path}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What can be completed: files, profile names, one of these words, or nothing. */
type Values = 'files' | 'profiles' | readonly string[] | null;

interface Place {
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
const namesOfFiles: readonly string[] = ['dir', 'file', 'file-or-id', 'id-or-file', 'path'];

function valuesOf(placeholder: string, choices: readonly string[] | undefined, option = placeholder): Values {
  if (choices !== undefined) return choices;
  if (namesOfFiles.includes(placeholder)) return 'files';
  return option === 'profile' ? 'profiles' : null;
}
