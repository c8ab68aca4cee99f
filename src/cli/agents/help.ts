/** The help text below the options of each command: details, and examples to paste. */

export const agents = `
All commands operate on the workspace of the API key. Agents are identified by
id. With --json, the output is JSON Lines: one agent per line, exactly as the
service returns it.

Examples:
  voice-agents agents list --search recept
  voice-agents agents create --name Reception --voice-id ja-JP-Nanami
  voice-agents agents list --all --json | jq -r .name
`;

export const get = `
Examples:
  voice-agents agents get agt_…
  voice-agents agents get agt_… --version published --json | jq .responseEngine
  voice-agents agents get agt_… --etag
`;

export const diff = `
By default, compares the published version with the latest. Version numbers,
publishing state and timestamps are omitted, except with --json.

Examples:
  voice-agents agents diff agt_…
  voice-agents agents diff agt_… --from 1 --to 3
`;

export const check = `
Lists everything that publishing would reject, and warnings about what is
probably a mistake. The exit code is 1 if the agent cannot be published.

A file is an agent as written by "voice-agents pull", with the extension .yaml,
.yml or .json. It is checked without a service, as one with default settings on
this machine would check it.

Examples:
  voice-agents agents check agt_…
  voice-agents agents check agt_… --version published --json | jq .errors
  voice-agents agents check agents/Reception.yaml
`;

const fields = `
A value is parsed as JSON if it is valid JSON (1.2, true, null, ["a","b"]), and
is text otherwise. For the text 12, write --set 'name="12"'. Use dots for nested
fields. The file is applied first, then the options from left to right. Unknown
fields are an error. Read-only fields in a file, such as id and version, are
ignored, so that you can use the output of "get --json" as a file.
`;

export const create = `${fields}
Examples:
  voice-agents agents create --name Reception --voice-id ja-JP-Nanami
  voice-agents agents create --name 受付 --voice-id ja-JP-Nanami \\
    --set responseEngine.type=single_prompt \\
    --set "responseEngine.prompt=$(cat prompt.txt)"
  voice-agents agents create --file agent.yaml
`;

export const update = `${fields}
Objects are merged, lists are replaced as a whole. Updating a published agent
creates its next version as a draft. Without --if-match, the last write wins.

Examples:
  voice-agents agents update agt_… --set voiceSpeed=1.2 --set volume=0.9
  voice-agents agents update agt_… --unset adaptiveSpeechRate
  voice-agents agents update agt_… --file - < change.yaml
  voice-agents agents update agt_… --set name=Desk --if-match '"2NCaJoSYOP4s…"'
`;

export const duplicate = `
Examples:
  voice-agents agents duplicate agt_…
  voice-agents agents duplicate agt_… --name 'Reception, second shop'
`;

export const publish = `
Fails if the draft is incomplete, and lists what is missing. Publishing a version
that is already published changes nothing.

Examples:
  voice-agents agents publish agt_… --description 'Initial version'
`;

export const restore = `
Examples:
  voice-agents agents restore agt_… 1
  voice-agents agents restore agt_… published
`;
