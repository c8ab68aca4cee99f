/** What stands below the options of each command: more about it, and examples to paste. */

export const agents = `
Everything happens in the workspace of the key. Agents go by their id. With
--json, output is JSON: one line for each agent, as the service sends it.

Examples:
  voice-agents agents list --search recept
  voice-agents agents create --name Reception --voice-id ja-JP-Nanami
  voice-agents agents list --all --json | jq -r .name
`;

export const list = `
On a terminal the table is fitted to its width; elsewhere it has every column.

Examples:
  voice-agents agents list
  voice-agents agents list --search 予約 --limit 10
  voice-agents agents list --all --json | jq -r 'select(.isPublished) | .id'
`;

export const get = `
Examples:
  voice-agents agents get agt_…
  voice-agents agents get agt_… --version published --json | jq .responseEngine
  voice-agents agents get agt_… --etag
`;

export const versions = `
Examples:
  voice-agents agents versions agt_…
  voice-agents agents versions agt_… --json | jq .version
`;

export const diff = `
Without --from and --to, it shows what the draft changes in what is published.
The number, the state and the times of the versions are left out, except with
--json.

Examples:
  voice-agents agents diff agt_…
  voice-agents agents diff agt_… --from 1 --to 3
`;

const fields = `
A value is JSON where it is valid JSON (1.2, true, null, ["a","b"]), and text
otherwise. For the text 12, write --set 'name="12"'. Dots lead into objects. The
file comes first, then the options, from left to right. An unknown field is a
issue. What only the service sets, such as id and version, is left out of a
file, so that the output of "get --json" can be used as one.
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
Objects are merged, lists are replaced whole. Changing a published agent opens
its next version as a draft. Without --if-match the last writer wins.

Examples:
  voice-agents agents update agt_… --set voiceSpeed=1.2 --set volume=0.9
  voice-agents agents update agt_… --unset adaptiveSpeechRate
  voice-agents agents update agt_… --file - < change.yaml
  voice-agents agents update agt_… --set name=Desk --if-match '"2NCaJoSYOP4s…"'
`;

export const remove = `
Where one of several cannot be deleted, the others are all the same, and the
command ends with the code of the first issue.

Examples:
  voice-agents agents delete agt_…
  voice-agents agents list --search Test --all --json | jq -r .id |
    xargs voice-agents agents delete --yes
`;

export const duplicate = `
Examples:
  voice-agents agents duplicate agt_…
  voice-agents agents duplicate agt_… --name 'Reception, second shop'
`;

export const publish = `
What a draft still lacks is told, field by field. Publishing what is published
changes nothing.

Examples:
  voice-agents agents publish agt_… --description 'The first one'
`;

export const restore = `
Examples:
  voice-agents agents restore agt_… 1
  voice-agents agents restore agt_… published
`;
