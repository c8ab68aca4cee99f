import { collected, connectionOptions, type Declaration, lazily } from '../declaration.ts';
import { exitCodeHelp } from '../failures.ts';
import { filterOptions } from '../resources/commands.ts';
import { resourceOperation } from '../resources/operations.ts';

export const chatCommand: Declaration = {
  name: 'chat <id-or-name>',
  description: 'chat with an agent of a service',
  options: [
    ['--version <version>', 'a number, "latest" or "published"', 'latest'],
    ['--variable <name=value>', 'a value for {{name}} in prompts and texts; repeatable', collected],
    ['--json', 'print JSON, one reply per line'],
    ...connectionOptions,
  ],
  about: `The agent is an id, or a name that only one agent has. The conversation is a real
call: it is stored, and its tools are called.

Type what the caller says. /end, Ctrl-D and Ctrl-C end the call. If a reply fails,
press Enter to try again: nothing is said or booked twice.

If the input is not a terminal, each line of it is a message. Replies go to
standard output, everything else to standard error, and the exit code is 1 if a
reply failed. With --json, each reply is one line, as the service returns it.

The value of a variable is a number, true, false or null, and text otherwise. For
the text 12, write --variable 'room="12"'.

Examples:
  voice-agents chat Reception
  voice-agents chat agt_… --version published --variable shop=銀座店
  printf 'Hello\\nA table for two\\n' | voice-agents chat Reception
  voice-agents chat Reception --json < lines.txt | jq -r '.turns[].text'`,
  run: lazily(() => import('./chat.ts'), 'chatWithAgent'),
};

/** `voice-agents calls …`, besides what resources/ declares. */
export const callCommands: readonly Declaration[] = [
  {
    name: 'calls',
    description: 'list, show, analyze, end, export and delete calls',
    about: `All commands operate on the workspace of the API key. With --json, the output is
JSON as the service returns it.

Examples:
  voice-agents calls list --status ongoing
  voice-agents calls transcript call_…
  voice-agents calls export --agent Reception --out calls.jsonl
${exitCodeHelp}`,
  },
  {
    name: 'calls export [id]',
    description: 'write calls with their transcripts as JSON Lines, or one call as a simulation',
    options: [
      ...filterOptions(resourceOperation('calls.list')),
      ['--out <path>', 'the file to write (default: standard output); with an id, the directory (default: this one)'],
      ...connectionOptions,
    ],
    about: `Writes JSON Lines, newest call first. Each line is a call with its transcript as
"transcript", or null if it has none. A file is written completely or not at all.
Times without an offset are local; a date alone is midnight UTC.

With the id of a call that has ended, writes a script for "voice-agents simulate".
If the replies came from a language model or a custom LLM server, it also writes a
cassette with them. This shows how another version of the agent would have
behaved, such as whether it would have interrupted the caller.`,
    examples: [
      '--out calls.jsonl',
      'call_… --out simulations',
      `--agent Reception --created-after 2026-11-01 |
    jq -r '.transcript.turns[]?.text'`,
    ],
    run: lazily(() => import('./export.ts'), 'exportCalls'),
  },
];
