import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Agent, AgentDiff, AgentState } from '../../../sdk/src/schema.ts';
import { paint, type Shown } from '../context.ts';
import { describeGroups, describeValue } from '../terminal/fields.ts';
import type { Cell } from '../terminal/table.ts';
import { visible } from '../terminal/text.ts';

/** How fields are grouped, by the names that `--set` takes. Fields missing here are shown at the end. */
const groups: Readonly<Record<string, string>> = {
  Conversation: 'responseEngine beginMessage beginMessageDelayMs startSkillId agentGlobalPrompt',
  Voice:
    'voiceId voiceModel voiceSpeed voiceTemperature voiceEmotion volume enableDynamicVoiceSpeed adaptiveSpeechRate fallbackVoiceIds pronunciationDictionary ttsProvider',
  'Speech recognition': 'language sttMode sttProvider boostedKeywords',
  'Turn-taking and timing':
    'responsiveness interruptionSensitivity enableBackchannel backchannelFrequency backchannelWords reminderTriggerMs reminderMaxCount endCallAfterSilenceMs maxCallDurationMs',
  'After the call': 'postCallAnalysisModel postCallAnalysisData webhookUrl webhookEvents dataStorageSetting',
};

export async function agentText(agent: Agent, { client, stdout, etag }: Shown): Promise<string> {
  const state = describeState(agent, (await readStates(client, [agent])).get(agent.id));
  const { name, id, workspaceId, version, isPublished, versionDescription, createdAt, updatedAt, ...content } = agent;
  const head = { id, version, isPublished, versionDescription, createdAt, updatedAt, workspaceId, etag };
  const rest = new Map<string, unknown>(Object.entries(content));
  const shown = Object.entries(groups).map(([title, names]) => {
    const known = names.split(' ').filter((field) => rest.has(field));
    const fields = Object.fromEntries(known.map((field) => [field, rest.get(field)]));
    for (const field of known) rest.delete(field);
    return [title, fields];
  });
  const title = `${paint('bold', visible(name), stdout)}  ${paint(state.format, state.text, stdout)}`;
  return describeGroups(title, head, { ...Object.fromEntries(shown), Other: Object.fromEntries(rest) }, stdout);
}

/** Reads which versions of the agents on a page are published, in one request. */
export async function readStates(client: VoiceAgents, agents: readonly Agent[]): Promise<Map<string, AgentState>> {
  if (agents.length === 0) return new Map();
  const { items } = await client.agents.states.list({ agentId: agents.map(({ id }) => id) });
  return new Map(items.map((state) => [state.agentId, state]));
}

/** `Live v1 · Draft v2`. An agent that was deleted in the meantime has no state: then only its own version is known. */
export function describeState(agent: Agent, state: AgentState | undefined): Exclude<Cell, string> {
  const live = state === undefined && agent.isPublished ? agent.version : (state?.publishedVersion ?? null);
  const draft = state === undefined && !agent.isPublished ? agent.version : (state?.draftVersion ?? null);
  const parts = [live === null ? [] : [`Live v${live}`], draft === null ? [] : [`Draft v${draft}`]].flat();
  return { text: parts.join(' · '), format: draft === null ? 'green' : 'yellow' };
}

/** Each version has its own, so they are not worth showing. */
const ofEveryVersion = ['/version', '/isPublished', '/versionDescription', '/createdAt', '/updatedAt'];

export function describeDiff({ from, to, changes }: AgentDiff, stream: NodeJS.WriteStream): string {
  const shown = changes.filter(({ path }) => !ofEveryVersion.includes(path));
  if (shown.length === 0) return `Versions ${from} and ${to} are identical.\n`;
  const parts = shown.map(({ path, from: before, value: after }) => {
    const [removed, added] = differing(
      before === undefined ? [] : describeValue(before),
      after === undefined ? [] : describeValue(after),
    );
    return [
      paint('bold', fieldOf(path), stream),
      ...removed.map((line) => paint('red', `- ${line}`, stream)),
      ...added.map((line) => paint('green', `+ ${line}`, stream)),
    ].join('\n');
  });
  return `Changes from version ${from} to version ${to}:\n\n${parts.join('\n')}\n`;
}

/** Drops common leading and trailing lines: in a long prompt, often a single line has changed. */
function differing(before: readonly string[], after: readonly string[]): [string[], string[]] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const part = (lines: readonly string[]): string[] => lines.slice(start, lines.length - end);
  // Two texts can look the same on screen and still differ, such as a tab and four spaces.
  const isAlike = part(before).length + part(after).length === 0;
  return isAlike ? [[...before], [...after]] : [part(before), part(after)];
}

/** A JSON Pointer as the path that `--set` takes. */
function fieldOf(pointer: string): string {
  const names = pointer.slice(1).split('/');
  return visible(names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.'));
}
