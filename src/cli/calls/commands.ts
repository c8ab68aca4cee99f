import { Option } from 'commander';
import { collected, connectionOptions, type Declaration, lazily, requiredOption, versionText } from '../declaration.ts';
import { exitCodeHelp, missingTranscript } from '../failures.ts';
import type { Action } from '../resources/action.ts';
import { filterOptions } from '../resources/commands.ts';
import { resourceOperation } from '../resources/operations.ts';
import { describeDuration } from '../terminal/time.ts';

export const chatCommand: Declaration = {
  name: 'chat <id-or-name>',
  description: 'chat with an agent of a service',
  options: [
    ['--version <version>', versionText, 'latest'],
    ['--variable <name=value>', 'a value for {{name}} in prompts and texts; repeatable', collected],
    ['--example-results', 'do not call the tools of the agent: each returns its example; drafts only'],
    ['--json', 'print JSON, one reply per line'],
    ...connectionOptions,
  ],
  about: `The agent is an id, or a name that only one agent has. The conversation is a real
call: it is stored, and its tools are called, unless you add --example-results.

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

/** `voice-agents calls …`, besides list, get and delete, and what is inside a call. */
export const callCommands: readonly (Declaration | Action)[] = [
  {
    name: 'calls',
    description: 'dial a number; list, show, analyze, end, export and delete calls',
    about: `All commands operate on the workspace of the API key. With --json, the output is
JSON as the service returns it.

Examples:
  voice-agents calls list --status ongoing
  voice-agents calls dial Reception --from +99910000001 --to +99900000001
  voice-agents calls transcript call_…
  voice-agents calls export --agent Reception --out calls.jsonl
${exitCodeHelp}`,
  },
  {
    name: 'calls dial <agent>',
    description: 'let an agent call a phone, and show the call until it ends',
    options: [
      requiredOption('--from <id-or-number>', 'the phone number to call from'),
      requiredOption('--to <number>', 'the number to dial, in E.164 format'),
      ['--version <version>', versionText, 'published'],
      ['--variable <name=value>', 'a value for {{name}} in prompts and texts; repeatable', collected],
      ['--ring-timeout <seconds>', 'how long the phone rings (default: that of the number)', Number],
      ['--record', 'record the call, whatever the agent says'],
      ['--no-record', 'do not record it'],
      ['--no-wait', 'print the id of the call, and do not wait for its end'],
      ['--json', 'print the call as JSON when it is over'],
      ...connectionOptions,
    ],
    about: `This dials a phone and may cost money. The agent is an id, or a name that only one
agent has. The number to call from must allow outbound calls: see "voice-agents
numbers update --outbound on".

Shows when the phone rings, who answers, the transcript as it grows, and how the
call ended. On a terminal, Ctrl-C twice hangs up. The exit code is 0 if somebody
answered, 8 if nobody did, and 1 if the call failed. With --json, the call goes to
standard output and the rest to standard error.`,
    examples: [
      'Reception --from +99910000001 --to +99900000001',
      'Reception --from num_… --to +819012345678 --variable name=Sato',
    ],
    run: lazily(() => import('./dial.ts'), 'dial'),
  },
  {
    name: 'calls export [id]',
    description: 'write calls as JSON Lines with their transcripts or as CSV, or one call as a simulation',
    options: [
      new Option('--format <format>', 'of calls (default: jsonl)').choices(['jsonl', 'csv']),
      ['--columns <list>', 'only these values of each call, such as createdAt,analysis.data.booked'],
      ['--filter <file>', 'only calls that match the filter in this JSON file, as for calls.search'],
      ['--time-zone <name>', 'CSV: the time zone of times, such as Asia/Tokyo (default: UTC)'],
      ...filterOptions(resourceOperation('calls.list')),
      ['--out <path>', 'the file to write (default: standard output); with an id, the directory (default: this one)'],
      ...connectionOptions,
    ],
    about: `Writes JSON Lines, newest call first. Each line is a call with its transcript as
"transcript", or null if it has none; with --columns, only these values. A file is
written completely or not at all. Times without an offset are local; a date alone is
midnight UTC.

With --format csv, each call is a line, and --columns chooses the values: any field of
a call, such as durationMs or latency.e2eMs.p95, and names after analysis.data.,
metadata., variables. and collectedVariables. The file is UTF-8 with a byte order mark,
as in RFC 4180. Times have the offset of --time-zone, null is empty, and a text that a
spreadsheet would compute, such as =1+1, starts with an apostrophe.

With the id of a call that has ended, writes a script for "voice-agents simulate".
If the replies came from a language model or a custom LLM server, it also writes a
cassette with them. This shows how another version of the agent would have
behaved, such as whether it would have interrupted the caller.`,
    examples: [
      '--out calls.jsonl',
      '--format csv --time-zone Asia/Tokyo --out calls.csv',
      '--format csv --columns id,durationMs,analysis.data.booked --filter filter.json',
      'call_… --out simulations',
      `--agent Reception --created-after 2026-11-01 |
    jq -r '.transcript.turns[]?.text'`,
    ],
    run: lazily(() => import('./export.ts'), 'exportCalls'),
  },
  {
    name: 'calls end <id>',
    description: 'end a call',
    about: 'A call that nobody has joined is canceled. A call that is over does not change.',
    examples: ['call_…'],
    send: ({ calls }, [id]) => calls.end(id),
    text: ({ id, durationMs, endReason }) => {
      const duration = durationMs === null ? '' : ` after ${describeDuration(durationMs)}`;
      return `${id} is over${duration}: ${endReason}.\n`;
    },
  },
  {
    name: 'calls search <text>',
    description: 'list the calls in which something was said',
    options: [['--limit <number>', 'how many calls to show (default: 20)', Number]],
    about: `Shows the newest calls in which caller or agent said it, in one turn; case and width
do not matter. Only calls that are over and that store everything are searched. The
text has 2 to 100 characters. For other conditions besides, see "calls export
--filter".`,
    examples: ['refund', '"来週の土曜日" --limit 50', "refund --json | jq -r '.items[].id'"],
    body: ({ limit = 20 }) => ({ limit }),
    send: ({ calls }, [text], { limit }) =>
      calls.search({ filter: { field: 'transcript', op: 'contains', value: text }, limit }),
    text: async ({ items }, { stdout, client }) => {
      if (items.length === 0) return 'No calls found.\n';
      return (await import('./search.ts')).describeCalls(items, stdout, client);
    },
    note: ({ nextCursor }) =>
      nextCursor === null ? '' : 'There may be more, in older calls, too. Use a higher --limit.\n',
  },
  {
    name: 'calls transcript <id>',
    description: 'show what was said in a call',
    about: `Shows who said what and when, tool calls, silences, and how long each reply took.
If the call is still open, shows what has been said so far.`,
    examples: ["call_… --json | jq -r '.turns[].text'"],
    send: ({ calls }, [id]) => calls.transcript.get(id),
    missing: missingTranscript,
    text: async ({ turns }, { client, stdout, values: [id = ''] }) => {
      const { describeTranscript } = await import('../terminal/transcript.ts');
      const { endReason, durationMs } = await client.calls.get(id);
      const end = endReason === null ? null : { reason: endReason, atMs: durationMs ?? 0 };
      return describeTranscript(turns, end, stdout) || 'Nobody has spoken yet.\n';
    },
  },
  {
    name: 'calls recording <id>',
    description: 'print a link to the recording of a call',
    about: `Prints the URL of a WAV file. Anyone who has the URL can open it, for 5 minutes.

Examples:
  curl -sS -o call.wav "$(voice-agents calls recording call_…)"`,
    send: ({ calls }, [id]) => calls.recording.get(id),
    missing: {
      none: 'this call was not recorded: see recordingEnabled',
      not_stored: 'the recording of this call is not stored: see dataStorageSetting of its agent',
      deleted: 'the recording of this call has been deleted',
      failed: 'the recording of this call could not be written',
    },
    text: ({ url }) => `${url}\n`,
  },
  {
    name: 'calls analyze <id>',
    description: 'analyze a call again, or try other fields on it',
    options: [
      ['--preview', 'only show the result, without storing it'],
      ['--fields <file>', 'a JSON file with the fields to extract, as in postCallAnalysisData'],
      ['--model <name>', 'the model (default: that of the agent)'],
      ['--agent-version <version>', `whose fields and model to use: ${versionText}`],
    ],
    about: `The call must be over. It keeps its analysis until the new one is completed. With
--preview, nothing is stored: try new fields on old calls before you publish them.`,
    examples: ['call_…', 'call_… --preview --fields fields.json'],
    body: async ({ preview, ...options }) => {
      const { analysisBody } = await import('./analysis.ts');
      return { preview, body: await analysisBody(options) };
    },
    send: ({ calls: { analysis } }, [id], { preview, body }) =>
      preview ? analysis.preview(id, body) : analysis.run(id, body),
    text: async (analysis, { values: [id] }) =>
      'id' in analysis
        ? `${analysis.id} is pending: run "voice-agents calls analyses ${id}" to see the result\n`
        : (await import('./analysis.ts')).describeResult(analysis),
  },
];
