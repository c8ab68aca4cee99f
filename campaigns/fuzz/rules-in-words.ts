import type { FuzzRequest } from './requests.ts';

type Values = Readonly<Record<string, unknown>>;

/** Fields with rules that the document states only in prose. */
const fieldsWithRules = new Set([
  'adaptiveSpeechRate',
  'agentVersion',
  'allowedOrigins',
  'apiKey',
  'baseUrl',
  'credentials',
  'cursor',
  'definition',
  'digits',
  'expiresAt',
  'field',
  'filter',
  'from',
  'fromPhoneNumberId',
  'groupBy',
  'inbound',
  'items',
  'metadata',
  'metrics',
  'model',
  'models',
  'number',
  'numbers',
  'order',
  'pronunciationDictionary',
  'query',
  'range',
  'recordingEnabled',
  'responseEngine',
  'ringTimeoutMs',
  'script',
  'settings',
  'startAt',
  'steps',
  'text',
  'timeZone',
  'to',
  'token',
  'trigger',
  'validFrom',
  'variables',
  'version',
  'webhookUrl',
]);

const dayMs = 24 * 3_600_000;
/** As long as events are kept, less the time that a request takes. */
const retentionMs = 30 * dayMs - 60_000;
const slackMs = 60_000;

/** The same where the rule is known here: whether the values of a request break it. */
const rules: Readonly<Record<string, (values: Values) => boolean>> = {
  events: ({ events }) => Array.isArray(events) && events.includes('*') && new Set(events).size > 1,
  // An address with a name, and nothing special about it, is accepted.
  url: ({ url }) => !/^https:\/\/([a-z0-9-]+\.)+(com|example|jp)(\/[\w/-]*)?$/.test(String(url)),
  // A language, with a country or without one, is a tag.
  language: ({ language }) => !/^[a-z]{2}(-[A-Z]{2})?$/.test(String(language)),
  since: ({ since }) => !isBetween(timeOf(since), Date.now() - retentionMs, Date.now() - slackMs),
  until: ({ since, until }) => !(timeOf(until) > timeOf(since) + slackMs),
  // A transfer needs the name of an entry, or a number with its mode; a document of a text needs a name.
  name: ({ action, name, text }) => action === 'transfer' || (text !== undefined && name === undefined),
  mode: ({ action }) => action === 'transfer',
  // Only pages are fetched again.
  refreshEveryHours: ({ url }) => url === undefined,
  waitSeconds: ({ order, waitSeconds }) => waitSeconds !== '0' && order !== 'asc',
  postCallAnalysisData: ({ postCallAnalysisData: items }) => Array.isArray(items) && hasBadItems(items),
};

/** Whether a request that matches the document may be refused because of this field. */
export function mayBeRefused(field: string, request: FuzzRequest): boolean {
  const isBroken = rules[field];
  return isBroken === undefined ? fieldsWithRules.has(field) : isBroken(valuesOf(request));
}

/** The same for a message about the body as a whole: a document has one content. */
export function mayBeRefusedAsWhole(message: string, request: FuzzRequest): boolean {
  if (!message.endsWith('one of text, url and file')) return false;
  const { text, url, file } = valuesOf(request);
  return [text, url, file].filter((content) => content !== undefined).length !== 1;
}

function valuesOf({ target, body }: FuzzRequest): Values {
  const query = Object.fromEntries(new URLSearchParams(target.split('?')[1] ?? ''));
  try {
    return { ...query, ...JSON.parse(String(body ?? '{}')) };
  } catch {
    return query;
  }
}

function timeOf(value: unknown): number {
  return Date.parse(String(value));
}

function isBetween(time: number, from: number, to: number): boolean {
  return time >= from && time <= to;
}

interface Item {
  readonly name: string;
  readonly type: string;
  readonly options?: readonly string[];
}

function hasBadItems(items: readonly Item[]): boolean {
  const hasDuplicates = new Set(items.map(({ name }) => name)).size < items.length;
  return hasDuplicates || items.some(({ type, options = [] }) => type === 'enum' && options.length === 0);
}
