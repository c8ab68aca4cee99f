/** The help text below the options of each command: details, and examples to paste. */

export const chat = `
Talks to an agent in writing. The agent is an id, or a name that only one agent
has. The conversation is a real call: it is stored, and its tools are called.

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
  voice-agents chat Reception --json < lines.txt | jq -r '.turns[].text'
`;

export const calls = `
All commands operate on the workspace of the API key. With --json, the output is
JSON as the service returns it.

Examples:
  voice-agents calls list --status ongoing
  voice-agents calls transcript call_…
  voice-agents calls export --agent Reception --out calls.jsonl
`;

export const transcript = `
Shows when who said what, the tools that were called, silences, and how long each
reply took. While the call is open, shows what has been said so far.

Examples:
  voice-agents calls transcript call_…
  voice-agents calls transcript call_… --json | jq -r '.turns[].text'
`;

export const recording = `
Prints a URL that plays or downloads the WAV file. Anyone who has it can open it,
for 5 minutes.

Examples:
  voice-agents calls recording call_…
  curl -sS -o call.wav "$(voice-agents calls recording call_…)"
`;

export const analyze = `
The call must be over. It keeps its analysis until the new one is completed. With
--preview nothing is stored: try new fields on old calls before you publish them.

Examples:
  voice-agents calls analyze call_…
  voice-agents calls analyze call_… --preview --fields fields.json
`;

export const end = `
A call that nobody has joined is canceled. A call that is over stays as it is.

Examples:
  voice-agents calls end call_…
`;

export const exported = `
Writes JSON Lines, newest call first: each line is a call with its transcript as
"transcript", which is null if there is none. A file is written completely or not
at all. Times without an offset are local; a date alone is midnight UTC.

With the id of a call that has ended, writes it as a script for "voice-agents
simulate" and, if its replies came from a language model or a custom LLM server, as
a cassette with them. So you see what another version of the agent would have done:
whether it would have cut the caller off, for example.

Examples:
  voice-agents calls export --out calls.jsonl
  voice-agents calls export call_… --out simulations
  voice-agents calls export --agent Reception --created-after 2026-11-01 |
    jq -r '.transcript.turns[]?.text'
`;
