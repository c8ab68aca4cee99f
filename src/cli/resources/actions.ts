import type { ApiPromise } from '../../../sdk/src/api-promise.ts';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { ConditionalOptions, RepeatableOptions, RequestOptions } from '../../../sdk/src/request.ts';
import type { Agent } from '../../../sdk/src/schema.ts';
import { agentText, describeDiff } from '../agents/show.ts';
import { analysisBody, describeResult } from '../calls/analysis.ts';
import type { CommandContext, Shown } from '../context.ts';
import { collected, type Declaration, type OptionWords, requiredOption } from '../declaration.ts';
import { invalidUsage, missingTranscript } from '../failures.ts';
import { visible } from '../terminal/text.ts';
import { describeDuration } from '../terminal/time.ts';
import { describeTranscript } from '../terminal/transcript.ts';
import { checkedVersion, listOf } from './ids.ts';
import { defaultText, type Item } from './views.ts';

/**
 * A command that sends one request. Its name starts with the group, such as `agents publish <id>`. The arguments `id` and
 * `version`, and the names of resources inside, such as `delivery`, are checked before it is sent.
 */
export interface Action extends Declaration {
  /** The body of the request, from the options; omitted fields are undefined. */
  readonly body?: (options: Item, context: CommandContext) => object | Promise<object>;
  readonly send: (client: VoiceAgents, values: Values, body: Item, options: SendOptions) => ApiPromise<Item>;
  /** Why there is nothing to get, by the reason in the details of the 404. */
  readonly missing?: Readonly<Record<string, string>>;
  /** What is printed without --json. */
  readonly text: (result: Item, shown: Shown & { readonly values: readonly string[] }) => string | Promise<string>;
  /** What people should know besides, on standard error. */
  readonly note?: (result: Item) => string;
  /** Whether the exit code is 1. */
  readonly hasFailed?: (result: Item) => boolean;
}

export type Values = readonly [string, string, ...string[]];
type SendOptions = RequestOptions & RepeatableOptions & ConditionalOptions;

const versionText = 'a number, "latest" or "published"';
const anyVersion: OptionWords = ['--version <version>', `${versionText} (default: "latest")`];
const ifMatch: OptionWords = ['--if-match <etag>', 'only if the agent still has this ETag (see "agents get --etag")'];
const idempotencyKey: OptionWords = ['--idempotency-key <key>', 'makes the command safe to repeat within 24 hours'];
const set: OptionWords = ['--set <field=value>', 'set a field, such as voiceSpeed=1.2; repeatable', collected];
const file: OptionWords = ['--file <file>', 'read fields from a JSON or YAML file; "-" for standard input'];
const webhookFields: readonly OptionWords[] = [
  ['--url <url>', 'the URL to send events to'],
  ['--events <list>', 'the event types, separated by commas; * for all'],
  ['--agents <list>', 'only events of these agents, by id'],
  ['--include <list>', 'transcript, to add it to call_ended and call_analyzed'],
  ['--description <text>', 'a note for people'],
];

/** Reports misspelled fields, which the service would otherwise ignore. */
const strict = { headers: { prefer: 'handling=strict' } };

const fieldsHelp = `A value is parsed as JSON if it is valid JSON (1.2, true, null, ["a","b"]), and
is text otherwise. For the text 12, write --set 'name="12"'. Use dots for nested
fields. The file is applied first, then the options from left to right. Unknown
fields are an error. Read-only fields in a file, such as id and version, are
ignored, so you can use the output of "get --json" as a file.`;

export const actions: readonly Action[] = [
  {
    name: 'agents get <id>',
    alias: 'show',
    description: 'show an agent',
    options: [anyVersion, ['--etag', 'print only the ETag, for use with --if-match']],
    examples: ['agt_…', 'agt_… --version published --json | jq .responseEngine'],
    body: ({ version }) => (version === undefined ? {} : { version: checkedVersion(version, '--version') }),
    send: ({ agents }, [id], { version }) =>
      version === undefined ? agents.get(id) : agents.versions.get(id, version),
    text: agentText,
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
    text: (diff, { stdout }) => describeDiff(diff, stdout),
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
      '--name Reception --voice-id ja-JP-Nanami',
      `--name 受付 --voice-id ja-JP-Nanami \\
    --set responseEngine.type=single_prompt \\
    --set "responseEngine.prompt=$(cat prompt.txt)"`,
      '--file agent.yaml',
    ],
    body: async (options, context) => (await import('../agents/fields.ts')).newFields(options, context),
    // Not validated here: the service reports problems field by field.
    send: ({ agents }, _, body, options) => agents.create(body, { ...options, ...strict }),
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
    body: async (options, context) => (await import('../agents/fields.ts')).changedFields(options, context),
    send: ({ agents }, [id], body, options) => agents.update(id, body, { ...options, ...strict }),
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
    name: 'calls transcript <id>',
    description: 'show what was said in a call',
    about: `Shows who said what and when, tool calls, silences, and how long each reply took.
If the call is still open, shows what has been said so far.`,
    examples: ["call_… --json | jq -r '.turns[].text'"],
    send: ({ calls }, [id]) => calls.transcript.get(id),
    missing: missingTranscript,
    text: async ({ turns }, { client, stdout, values: [id = ''] }) => {
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
    body: async ({ preview, ...options }) => ({ preview, body: await analysisBody(options) }),
    send: ({ calls: { analysis } }, [id], { preview, body }) =>
      preview ? analysis.preview(id, body) : analysis.run(id, body),
    text: (analysis, { values: [id] }) =>
      'id' in analysis
        ? `${analysis.id} is pending: run "voice-agents calls analyses ${id}" to see the result\n`
        : describeResult(analysis),
  },
  {
    name: 'webhooks create',
    description: 'create a webhook, and print its secret',
    options: webhookFields,
    examples: [
      "--url https://shop.example.com/hooks --events '*'",
      `--url https://shop.example.com/hooks \\
    --events call_ended,call_analyzed --include transcript`,
    ],
    body: (options) => {
      const fields = webhookBody(options);
      if (fields.url === undefined || fields.events === undefined)
        throw invalidUsage('a webhook needs --url and --events');
      return fields;
    },
    send: ({ webhooks }, _, body) => webhooks.create(body),
    text: ({ secret, ...webhook }, shown) =>
      `${defaultText(webhook, shown)}\nSecret for verifying requests: ${secret}\n`,
  },
  {
    name: 'webhooks update <id>',
    description: 'update a webhook; omitted options keep their value',
    options: [...webhookFields, ['--status <status>', 'active, paused or disabled']],
    examples: ['whk_… --status paused', 'whk_… --events call_ended --agents agt_…'],
    body: (options) => {
      const fields = webhookBody(options);
      if (Object.values(fields).some((value) => value !== undefined)) return fields;
      throw invalidUsage('nothing to update: see "webhooks update --help"');
    },
    send: ({ webhooks }, [id], body) => webhooks.update(id, body),
    text: defaultText,
  },
  {
    name: 'webhooks test <id>',
    description: 'send an example event',
    options: [['--type <type>', 'the event type', 'webhook_test']],
    about: 'Prints the response of the receiver. The exit code is 1 if its status is not 2xx.',
    examples: ['whk_… --type call_ended'],
    body: ({ type }) => ({ type }),
    send: ({ webhooks }, [id], body) => webhooks.test(id, body),
    text: ({ outcome, statusCode, durationMs, errorMessage }) => {
      const status = statusCode === null ? '' : ` with status ${statusCode}`;
      const reason = errorMessage === null ? '' : `\n${visible(errorMessage)}`;
      return `${outcome}${status} after ${durationMs} ms.${reason}\n`;
    },
    hasFailed: ({ outcome }) => outcome !== 'succeeded',
  },
  {
    name: 'webhooks secret <id>',
    description: 'print the secret of a webhook; recorded in the audit trail',
    send: ({ webhooks }, [id]) => webhooks.secret.get(id),
    text: ({ secret }) => `${secret}\n`,
  },
  {
    name: 'webhooks rotate-secret <id>',
    description: 'replace the secret of a webhook, and print the new one',
    options: [['--grace-seconds <seconds>', 'how long the old secret also signs requests', Number, 86_400]],
    body: ({ graceSeconds }) => ({ graceSeconds }),
    send: ({ webhooks }, [id], body) => webhooks.secret.rotate(id, body),
    text: ({ secret }) => `${secret}\n`,
    note: ({ previousSecretExpiresAt: end }) =>
      `The old secret ${end === null ? 'is no longer used' : `also signs requests until ${end}`}.\n`,
  },
  {
    name: 'webhooks resend <id> <delivery>',
    description: 'send the event of a delivery again',
    send: ({ webhooks }, [id, delivery]) => webhooks.deliveries.resend(id, delivery),
    text: ({ id, eventId }) => `${eventId} is sent again: ${id}.\n`,
  },
  {
    name: 'webhooks replay <id>',
    description: 'send failed and skipped events again',
    options: [
      requiredOption('--since <time>', 'events from this time on'),
      ['--until <time>', 'events before this time'],
      ['--statuses <list>', 'failed, skipped, or all for every event'],
      ['--types <list>', 'only events of these types'],
    ],
    examples: [
      'whk_… --since 2026-11-15T00:00:00Z',
      'whk_… --since 2026-11-15T00:00:00Z --statuses all --types call_ended',
    ],
    body: ({ since, until, statuses, types }) => {
      return { since, until, statuses: statuses === 'all' ? 'all' : listOf(statuses), eventTypes: listOf(types) };
    },
    send: ({ webhooks }, [id], body) => webhooks.replay(id, body),
    text: ({ id, matched }) => `${matched} ${matched === 1 ? 'event is' : 'events are'} sent again: ${id}.\n`,
  },
];

function agentLine({ id, name, version, isPublished }: Agent, what: string): string {
  return `${id} ${what}: ${visible(name)} (version ${version}, ${isPublished ? 'published' : 'draft'}).\n`;
}

/** An empty description removes it. */
function webhookBody({ url, events, agents, include, description, status }: Item) {
  return {
    url,
    events: listOf(events),
    agentIds: listOf(agents),
    include: listOf(include),
    description: description === '' ? null : description,
    status,
  };
}
