import { isDeepStrictEqual } from 'node:util';
import { isObject, type Name } from './names.ts';

/** The model of an agent, based on the reference: its fields in order, and their defaults. */
export type Fields = Record<string, unknown>;

const beginnings: readonly (readonly [name: string, value: unknown])[] = [
  ['versionDescription', null],
  ['responseEngine', undefined],
  ['voiceId', undefined],
  ['voiceModel', null],
  ['voiceTemperature', 1],
  ['voiceSpeed', 1],
  ['voiceEmotion', null],
  ['volume', 1],
  ['enableDynamicVoiceSpeed', false],
  ['fallbackVoiceIds', []],
  ['responsiveness', 1],
  ['interruptionSensitivity', 1],
  ['enableBackchannel', false],
  ['backchannelFrequency', 0.8],
  ['backchannelWords', []],
  ['reminderTriggerMs', 10_000],
  ['reminderMaxCount', 1],
  ['beginMessageDelayMs', 0],
  ['beginMessage', null],
  ['endCallAfterSilenceMs', 600_000],
  ['maxCallDurationMs', 3_600_000],
  ['language', 'ja'],
  ['sttMode', 'fast'],
  ['sttProvider', 'auto'],
  ['ttsProvider', 'auto'],
  ['boostedKeywords', []],
  ['adaptiveSpeechRate', undefined],
  ['pronunciationDictionary', undefined],
  ['postCallAnalysisData', []],
  ['postCallAnalysisModel', 'gpt-5.4-mini'],
  ['webhookUrl', null],
  ['webhookEvents', ['call_started', 'call_ended', 'call_analyzed']],
  ['dataStorageSetting', 'everything'],
  ['startSkillId', undefined],
  ['agentGlobalPrompt', undefined],
  ['agentVariables', undefined],
  ['agentSettings', undefined],
];
const order = [
  'id',
  'workspaceId',
  'name',
  'version',
  'isPublished',
  ...beginnings.map(([name]) => name),
  'createdAt',
  'updatedAt',
];
const mayBeNull = ['versionDescription', 'voiceModel', 'voiceEmotion', 'beginMessage', 'webhookUrl'];
const changeable = ['name', ...beginnings.map(([name]) => name)];
const wholeRate = ['enabled', 'minSpeed', 'maxSpeed', 'windowSize'];

export interface Version {
  readonly fields: Fields;
  readonly etag: Name;
}

export function inOrder(fields: Fields): Fields {
  return Object.fromEntries(
    order.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const])),
  );
}

export function newFields(body: Fields): Fields {
  const given = (isObject(body.responseEngine) ? body.responseEngine : {}) as Fields;
  const engine = {
    type: body.responseEngineType ?? given.type ?? 'conversation_flow',
    prompt: body.prompt ?? given.prompt,
    model: body.llmModel ?? given.model ?? 'gpt-5.4-mini',
    llmWebsocketUrl: given.llmWebsocketUrl,
  };
  const fields: Fields = { name: body.name };
  for (const [name, value] of beginnings) fields[name] = body[name] === undefined ? value : body[name];
  fields.responseEngine = withoutUndefined(engine);
  // Absent until it is set, never null.
  if (fields.agentSettings === null) delete fields.agentSettings;
  return fields;
}

/** RFC 7396. Built from entries, so that a member named __proto__ is treated like any other. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, merged(members.get(name), value));
  }
  return Object.fromEntries(members);
}

/** The fields after the patch, or the field that it would make invalid. */
export function patched(fields: Fields, patch: Fields): { fields: Fields; broken: string | null } {
  const known = Object.fromEntries(Object.entries(patch).filter(([name]) => changeable.includes(name)));
  const result = merged(fields, known) as Fields;
  for (const name of mayBeNull) if (known[name] === null) result[name] = null;
  const rate = result.adaptiveSpeechRate;
  const isBroken = isObject(rate) && wholeRate.some((name) => rate[name] === undefined);
  return { fields: inOrder(result), broken: isBroken ? 'adaptiveSpeechRate' : null };
}

/** A description belongs to one version: a new draft has none. */
export function descriptionOfDraft({ isPublished, versionDescription }: Fields): Fields {
  return { versionDescription: isPublished === true ? null : versionDescription };
}

export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}

/** The events of a call that an agent's webhook can get. */
export const callEvents = ['call_started', 'call_ended', 'call_analyzed', 'call_deleted'];

/** The fields that prevent publishing. */
export function incomplete(fields: Fields): string[] {
  const engine = fields.responseEngine as Fields;
  const rate = fields.adaptiveSpeechRate as { minSpeed: number; maxSpeed: number } | undefined;
  const findings = fields.postCallAnalysisData as { name: string; type: string; options?: string[] }[];
  const names = findings.map(({ name }) => name);
  const found: string[] = [];
  if (engine.type === 'custom_llm' && engine.llmWebsocketUrl === undefined) found.push('responseEngine');
  if (rate !== undefined && rate.minSpeed > rate.maxSpeed) found.push('adaptiveSpeechRate');
  if (new Set(names).size < names.length || findings.some(({ type, options }) => type === 'enum' && !options?.length))
    found.push('postCallAnalysisData');
  // The only address of the commands that is refused: its port is reserved.
  if (fields.webhookUrl === 'http://localhost:1/x') found.push('webhookUrl');
  if ((fields.webhookEvents as string[]).some((name) => !callEvents.includes(name))) found.push('webhookEvents');
  return found;
}

function withoutUndefined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Applies a diff: each change must state the previous value and change something. */
export function applied(document: Fields, changes: readonly Fields[]): Fields | string {
  const result = structuredClone(document);
  for (const { op, path, from, value } of changes) {
    const names = String(path)
      .slice(1)
      .split('/')
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop() as string;
    let place: Fields = result;
    for (const name of names) {
      const next = Object.hasOwn(place, name) ? place[name] : undefined;
      if (!isObject(next)) return `a change inside of ${path}, which is no object`;
      place = next;
    }
    const was = Object.hasOwn(place, last) ? place[last] : undefined;
    if (op === 'add' ? was !== undefined || from !== undefined : !isSame(was, from)) return `${path} was not like that`;
    if (op === 'replace' && isSame(was, value)) return `${path} changes nothing`;
    if (op === 'remove') delete place[last];
    else Object.defineProperty(place, last, { value, enumerable: true, writable: true, configurable: true });
  }
  return result;
}
