import type { Agent } from '../../../sdk/src/schema.ts';
import {
  collected,
  connectionOptions,
  type Declaration,
  jsonOption,
  lazily,
  type OptionWords,
  versionText,
} from '../declaration.ts';
import { exitCodeHelp } from '../failures.ts';
import type { Action } from '../resources/action.ts';
import { checkedVersion } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';

const anyVersion: OptionWords = ['--version <version>', `${versionText} (default: "latest")`];
const ifMatch: OptionWords = ['--if-match <etag>', 'only if the agent still has this ETag (see "agents get --etag")'];
const idempotencyKey: OptionWords = ['--idempotency-key <key>', 'makes the command safe to repeat within 24 hours'];
const set: OptionWords = ['--set <field=value>', 'set a field, such as voiceSpeed=1.2; repeatable', collected];
const file: OptionWords = ['--file <file>', 'read fields from a JSON or YAML file; "-" for standard input'];

const fieldsHelp = `A value is parsed as JSON if it is valid JSON (1.2, true, null, ["a","b"]), and
is text otherwise. For the text 12, write --set 'name="12"'. Use dots for nested
fields. The file is applied first, then the options from left to right. Unknown
fields are an error. Read-only fields in a file, such as id and version, are
ignored, so you can use the output of "get --json" as a file.`;

/** `voice-agents agents …`, besides list, delete and the versions. */
export const agentCommands: readonly (Declaration | Action)[] = [
  {
    name: 'agents',
    description: 'list, create, update, check, publish and delete agents',
    about: `All commands operate on the workspace of the API key. With --json, the output is
JSON Lines: one agent per line, exactly as the service returns it.

Examples:
  voice-agents agents list --search recept
  voice-agents agents create --name Reception --voice-id slt --set language=en
  voice-agents agents list --all --json | jq -r .name
${exitCodeHelp}`,
  },
  {
    name: 'agents check <id-or-file>',
    description: 'check whether an agent, or an agent file, can be published',
    options: [anyVersion, jsonOption, ...connectionOptions],
    about: `Lists everything that publishing would reject, and warns about probable mistakes.
The exit code is 1 if the agent cannot be published.

A file is an agent as written by "voice-agents pull", with the extension .yaml,
.yml or .json. It is checked without a service, as a service with default
settings on this machine would check it.`,
    examples: ['agt_… --version published --json | jq .errors', 'agents/Reception.yaml'],
    run: lazily(() => import('./check.ts'), 'checkAgent'),
  },
  {
    name: 'agents get <id>',
    alias: 'show',
    description: 'show an agent',
    options: [anyVersion, ['--etag', 'print only the ETag, for use with --if-match']],
    examples: ['agt_…', 'agt_… --version published --json | jq .responseEngine'],
    body: ({ version }) => (version === undefined ? {} : { version: checkedVersion(version, '--version') }),
    send: ({ agents }, [id], { version }) =>
      version === undefined ? agents.get(id) : agents.versions.get(id, version),
    text: async (agent, shown) => (await import('./show.ts')).agentText(agent, shown),
  },
  {
    name: 'agents diff <id>',
    description: 'show the differences between two versions',
    options: [
      ['--from <version>', versionText, 'published'],
      ['--to <version>', versionText, 'latest'],
    ],
    about: `Compares the published version with the latest one by default. Version numbers,
publishing state and timestamps are omitted, except with --json.`,
    examples: ['agt_…', 'agt_… --from 1 --to 3'],
    body: ({ from, to }) => ({ from: checkedVersion(from, '--from'), to: checkedVersion(to, '--to') }),
    send: ({ agents }, [id], range) => agents.diff(id, range),
    text: async (diff, { stdout }) => (await import('./show.ts')).describeDiff(diff, stdout),
  },
  {
    name: 'agents create',
    description: 'create an agent; only a name and a voice are required',
    options: [
      set,
      file,
      ['--name <text>', 'the name of the agent'],
      ['--voice-id <id>', 'the id of the voice'],
      idempotencyKey,
    ],
    about: fieldsHelp,
    examples: [
      '--name Reception --voice-id slt --set language=en',
      `--name 受付 --voice-id mei \\
    --set responseEngine.type=single_prompt \\
    --set "responseEngine.prompt=$(cat prompt.txt)"`,
      '--file agent.yaml',
    ],
    body: async (options, context) => (await import('./fields.ts')).newFields(options, context),
    // The fields are not validated here: the service reports problems field by field.
    send: ({ agents }, _, body, options) => agents.create(body, options),
    text: (agent) => agentLine(agent, 'created'),
  },
  {
    name: 'agents update <id>',
    description: 'update the given fields of an agent',
    options: [set, file, ['--unset <field>', 'remove an optional field; repeatable', collected], ifMatch],
    about: `${fieldsHelp}

Objects are merged, lists are replaced as a whole. Updating a published agent
creates its next version as a draft. Without --if-match, the last write wins.`,
    examples: [
      'agt_… --set voiceSpeed=1.2 --unset adaptiveSpeechRate',
      'agt_… --file - < change.yaml',
      `agt_… --set name=Desk --if-match '"2NCaJoSYOP4s…"'`,
    ],
    body: async (options, context) => (await import('./fields.ts')).changedFields(options, context),
    send: ({ agents }, [id], body, options) => agents.update(id, body, options),
    text: (agent) => agentLine(agent, 'updated'),
  },
  {
    name: 'agents duplicate <id>',
    description: 'create a copy of an agent',
    options: [['--name <text>', 'the name of the copy (default: the same name)'], idempotencyKey],
    examples: ["agt_… --name 'Reception, second shop'"],
    body: ({ name }) => ({ name }),
    send: ({ agents }, [id], body, options) => agents.duplicate(id, body, options),
    text: (agent, { values }) => agentLine(agent, `created as a copy of ${values[0]}`),
  },
  {
    name: 'agents publish <id>',
    description: 'publish the latest version',
    options: [['--description <text>', 'what changed in this version'], ifMatch, idempotencyKey],
    about: `Fails if the draft is incomplete, and lists what is missing. Publishing a version
that is already published changes nothing.`,
    examples: ["agt_… --description 'Initial version'"],
    body: ({ description }) => ({ versionDescription: description }),
    send: ({ agents }, [id], body, options) => agents.publish(id, body, options),
    text: (agent) => agentLine(agent, 'published'),
  },
  {
    name: 'agents restore <id> <version>',
    description: 'restore an earlier version as a draft',
    options: [ifMatch, idempotencyKey],
    examples: ['agt_… 1', 'agt_… published'],
    send: ({ agents }, [id, version], body, options) => agents.versions.restore(id, version, body, options),
    text: (agent, { values }) => agentLine(agent, `restored from version ${values[1]}`),
  },
  { name: 'agents tools', description: 'test the tools of agents' },
  {
    name: 'agents tools test <id> <tool>',
    description: 'call a tool with arguments of your own, and show what a model would see',
    options: [
      ['--argument <name=value>', 'an argument of the tool; repeatable', collected],
      ['--file <file>', 'read the arguments from a JSON or YAML file; "-" for standard input'],
      idempotencyKey,
    ],
    about: `Calls the tool as the latest version of the agent would in a call, with its secrets
and signed, and shows the request, the response and what a model would be given.
Secrets are shown by name. The exit code is 1 if the tool has failed.

A value is parsed as JSON if it is valid JSON (1.2, true, ["a","b"]), and is text
otherwise. For the text 12, write --argument 'number="12"'. The file is applied
first. Nothing is stored except the entry in the audit trail.`,
    examples: ['agt_… find_order --argument number=A-1001', 'agt_… book --file arguments.json --json'],
    body: async (options, context) => (await import('./tool-test.ts')).toolTestBody(options, context),
    send: ({ agents }, [id, name], body, options) => agents.tools.test(id, name, body, options),
    text: async (test, { stdout }) => (await import('./tool-test.ts')).describeToolTest(test, stdout),
    hasFailed: ({ isError }) => isError,
  },
];

function agentLine({ id, name, version, isPublished }: Agent, what: string): string {
  return `${id} ${what}: ${visible(name)} (version ${version}, ${isPublished ? 'published' : 'draft'}).\n`;
}
