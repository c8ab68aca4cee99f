import { hash } from 'node:crypto';
import { parseForeignJson } from '../../contract/foreign-json.ts';
import type { RecordedReply } from '../../contract/simulations/cassette.ts';
import { shortened } from '../../core/issues.ts';
import type { LlmMessage, LlmRequest } from '../llm.ts';

/** What identifies a request to a model: digests of its parts, so that a miss can say which of them has changed. */
export type RequestKey = Pick<RecordedReply, 'model' | 'instructions' | 'conversation' | 'tools' | 'settings'>;

export function keyOf({ model, messages: sent, tools, ...settings }: LlmRequest): RequestKey {
  const messages = sent.filter((message) => !isKnowledge(message));
  const places = toolCallPlaces(messages);
  const instructions = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => withoutTime(plain(content)));
  const conversation = messages.filter(({ role }) => role !== 'system').map((message) => normalized(message, places));
  return {
    model,
    instructions: digest(instructions),
    conversation: digest(conversation),
    tools: digest(
      tools.map(({ name, description, parameters }) => ({ name, description: plain(description), parameters })),
    ),
    settings: digest(settings),
  };
}

/** Documents change, and a simulation finds none. */
function isKnowledge(message: LlmMessage): boolean {
  return 'isKnowledge' in message && message.isKnowledge === true;
}

/** What identifies a conversation with a custom LLM server. */
export function conversationKey(transcript: readonly { readonly role: string; readonly content: string }[]): string {
  return digest(transcript.map(({ role, content }) => ({ role, content: plain(content) })));
}

const maxAboutLength = 200;

/** What a request asks the model to reply to, for people. */
export function aboutOf({ messages }: LlmRequest): string {
  const last = messages.findLast(({ role }) => role === 'user' || role === 'tool');
  if (last === undefined) return 'the opening';
  const words = JSON.stringify(shortened(redacted(last.content), maxAboutLength));
  return last.role === 'tool' ? `the result ${words}` : words;
}

/** Credentials in texts, by their form. No header and no key of a provider comes this far. */
export function redacted(text: string): string {
  return text
    .replaceAll(/\{\{\s*secrets\.[^{}]*\}\}/g, '{{secrets}}')
    .replaceAll(/\bBearer\s+[\w.~+/=-]{8,}/gi, 'Bearer [SECRET]')
    .replaceAll(/\b(?:vak|vat|whsec|sk|pk|ghp|xox[bp])[_-][\w-]{8,}/g, '[SECRET]');
}

/** Ids differ from call to call, and white space from editor to editor. */
function plain(text: string): string {
  return redacted(text)
    .replaceAll(/\b[a-z]{2,4}_(?:[0-9a-hjkmnp-tv-z]{30}|simulated)\b/g, '[ID]')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const weekdays = /\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|[月火水木金土日]曜日?/g;

/** A prompt states when the call began. What a caller says about a time is left as it is. */
function withoutTime(text: string): string {
  return text
    .replaceAll(/\b\d{4}-\d\d-\d\d\b/g, '[DATE]')
    .replaceAll(/\b\d\d:\d\d\b/g, '[TIME]')
    .replaceAll(weekdays, '[WEEKDAY]');
}

/** The ids of tool calls by their position: a provider makes new ones every time. */
function toolCallPlaces(messages: readonly LlmMessage[]): ReadonlyMap<string, number> {
  const ids = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return new Map(ids.map(({ id }, place) => [id, place]));
}

function normalized(message: LlmMessage, places: ReadonlyMap<string, number>): unknown {
  const content = plain(message.content);
  if (message.role === 'tool') return { role: 'tool', call: places.get(message.toolCallId) ?? -1, content };
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return {
    role: message.role,
    content,
    calls: calls.map(({ name, arguments: given }) => ({ name, arguments: parsed(given) })),
  };
}

function parsed(json: string): unknown {
  try {
    return parseForeignJson(redacted(json));
  } catch {
    return plain(json);
  }
}

/** Hashes its JSON, with the members of every object in the order of their names. */
function digest(value: unknown): string {
  const json = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
  return hash('sha256', json ?? '', 'hex').slice(0, 32);
}
