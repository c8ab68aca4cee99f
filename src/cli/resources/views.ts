import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Agent, AgentState, Analysis, Call, Webhook, WebhookDelivery } from '../../../sdk/src/schema.ts';
import { describeState, readStates } from '../agents/states.ts';
import { type Format, paint } from '../context.ts';
import { describeFields } from '../terminal/fields.ts';
import type { Cell } from '../terminal/table.ts';
import { visible } from '../terminal/text.ts';
import { describeDuration, describeTime } from '../terminal/time.ts';
import { checkedSecretName } from './ids.ts';

// biome-ignore lint/suspicious/noExplicitAny: the items of all resources.
export type Item = any;

type Column = (item: Item, shown: { readonly stdout: NodeJS.WriteStream; readonly loaded: Item }) => Cell;

interface Shown {
  readonly client: VoiceAgents;
  readonly stdout: NodeJS.WriteStream;
  readonly etag: string | null;
}

/** How the items of a resource are shown. Everything is optional. */
export interface View {
  /** The columns of a list by their headings. Default: the first fields of an item. */
  readonly columns?: Readonly<Record<string, Column>>;
  /** Columns to drop on a narrow terminal, in this order. */
  readonly dispensable?: readonly string[];
  /** The column to truncate if the table is still too wide. Default: NAME. */
  readonly elastic?: string;
  /** Loads what the columns show besides the items. */
  readonly load?: (items: readonly Item[], client: VoiceAgents) => Promise<unknown>;
  /** One item with all its fields; in lists, if there are no columns. */
  readonly text?: (item: Item, shown: Shown) => string | Promise<string>;
  /** What the items are called in messages. Default: the name of the command. */
  readonly things?: string;
  /** What to do if there are none. */
  readonly hint?: string;
  /** The question before an item is deleted: what it shows of the item, and what else is deleted. */
  readonly line?: (item: Item) => string;
  readonly includes?: string;
  readonly checkName?: (name: string) => string;
  readonly query?: (query: Record<string, string>, client: VoiceAgents) => Promise<Record<string, string>>;
}

const views: Readonly<Record<string, View>> = {
  agents: {
    columns: {
      ID: field('id'),
      NAME: field('name'),
      ENGINE: ({ responseEngine }: Agent) => responseEngine.type,
      LANGUAGE: field('language'),
      VOICE: field('voiceId'),
      STATE: (agent: Agent, { loaded }) => describeState(agent, (loaded as Map<string, AgentState>).get(agent.id)),
      CHANGED: field('updatedAt'),
    },
    dispensable: ['VOICE', 'LANGUAGE', 'ENGINE', 'CHANGED'],
    load: (agents, client) => readStates(client, agents),
    hint: 'Create one with "voice-agents agents create".',
    line: ({ name, version, isPublished }: Agent) =>
      `${name}  (version ${version}, ${isPublished ? 'published' : 'draft'})`,
    includes: 'all versions',
  },
  'agents.versions': {
    columns: {
      VERSION: field('version'),
      STATE: versionState,
      CHANGED: field('updatedAt'),
      NAME: field('name'),
      DESCRIPTION: field('versionDescription'),
    },
    dispensable: ['NAME'],
    elastic: 'DESCRIPTION',
    load: async ([first], client) => (await readStates(client, [first])).get(first.id)?.publishedVersion,
    text: async (agent, shown) => (await import('../agents/show.ts')).agentText(agent, shown),
  },
  apiKeys: {
    columns: {
      ID: field('id'),
      NAME: field('name'),
      KEY: field('hint'),
      SCOPES: ({ scopes }) => scopes.join(','),
      STATE: keyState,
      'LAST USED': field('lastUsedAt'),
    },
    dispensable: ['LAST USED', 'KEY', 'SCOPES'],
    things: 'API keys',
  },
  auditLog: {
    columns: {
      AT: field('at'),
      ACTION: field('routeId'),
      RESOURCE: field('resourceId'),
      KEY: ({ keyId }) => keyId ?? 'command line',
      REQUEST: field('requestId'),
    },
    dispensable: ['REQUEST', 'KEY'],
    elastic: 'RESOURCE',
    things: 'changes',
  },
  calls: {
    columns: {
      ID: field('id'),
      TYPE: field('type'),
      STATUS: field('status', { ongoing: 'green', error: 'red', not_connected: 'yellow' }),
      END: field('endReason'),
      AGENT: field('agentId'),
      VERSION: ({ agentVersion, isDraft }: Call) => `${agentVersion}${isDraft ? ' (draft)' : ''}`,
      DURATION: field('durationMs'),
      CREATED: field('createdAt'),
    },
    dispensable: ['AGENT', 'VERSION', 'END', 'TYPE', 'DURATION'],
    text: async (call, { stdout }) => (await import('../calls/show.ts')).describeCall(call, stdout),
    hint: 'Start one with "voice-agents chat".',
    line: ({ type, status, createdAt }: Call) => `${type}, ${status}  (created ${createdAt})`,
    includes: 'its transcript',
    query: async ({ agentId, ...query }, client) =>
      agentId === undefined
        ? query
        : { agentId: (await (await import('../agents/find.ts')).findAgent(client, agentId)).id, ...query },
  },
  'calls.analysis': {
    text: async (analysis: Analysis, { stdout }) =>
      (await import('../calls/analysis.ts')).describeAnalysis(analysis, stdout),
  },
  providers: {
    columns: {
      NAME: field('name'),
      CONFIGURED: field('configured'),
      CAPABILITIES: field('capabilities'),
      LANGUAGES: languages,
    },
  },
  secrets: {
    columns: { NAME: field('name'), HOSTS: field('hosts'), CHANGED: field('updatedAt') },
    elastic: 'HOSTS',
    hint: 'Set one with "voice-agents secrets set".',
    checkName: checkedSecretName,
  },
  voices: {
    columns: { VOICE: field('voiceId'), PROVIDER: field('provider'), LANGUAGES: languages, NAME: field('name') },
  },
  webhooks: {
    columns: {
      ID: field('id'),
      KIND: field('kind'),
      STATUS: field('status', { paused: 'yellow', disabled: 'red' }),
      EVENTS: field('events'),
      URL: field('url'),
      'LAST SUCCESS': field('lastSuccessAt'),
    },
    dispensable: ['LAST SUCCESS', 'KIND', 'EVENTS'],
    elastic: 'URL',
    hint: 'Create one with "voice-agents webhooks create".',
    line: ({ url }: Webhook) => url ?? '',
    includes: 'its deliveries',
  },
  'webhooks.deliveries': {
    columns: {
      ID: field('id'),
      EVENT: field('eventType'),
      STATUS: deliveryStatus,
      ATTEMPTS: field('attemptCount'),
      RESPONSE: lastResponse,
      CREATED: field('createdAt'),
      'NEXT ATTEMPT': field('nextAttemptAt'),
    },
    dispensable: ['NEXT ATTEMPT', 'ATTEMPTS', 'CREATED'],
    elastic: 'RESPONSE',
  },
  events: {
    columns: {
      ID: field('id'),
      TYPE: field('type'),
      SUBJECT: ({ subject }) => subject.id,
      AT: field('timestamp'),
    },
    dispensable: ['AT'],
  },
};

export function viewOf(operationId: string): View {
  return views[operationId.slice(0, operationId.lastIndexOf('.'))] ?? {};
}

type Formats = Readonly<Record<string, Format>>;

/** A field as a cell: times, durations, lists and absent values are recognized. */
function field(name: string, formats: Formats = {}): Column {
  return (item, { stdout }) => {
    const value = item[name] as unknown;
    if (value === null || value === undefined) return '';
    if (typeof value === 'string' && /(?:^at|At|timestamp)$/.test(name)) return describeTime(value, stdout);
    if (typeof value === 'number' && name.endsWith('Ms')) return describeDuration(value);
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    const format = formats[text];
    return format === undefined ? text : { text, format };
  };
}

const maxColumns = 6;

/** For resources without a view. */
export function defaultColumns(item: Item): Record<string, Column> {
  const isShort = (value: unknown) =>
    typeof value !== 'object' || (Array.isArray(value) && typeof value[0] !== 'object');
  const names = Object.keys(item).filter(
    (name) => name !== 'workspaceId' && (item[name] === null || isShort(item[name])),
  );
  return Object.fromEntries(
    names.slice(0, maxColumns).map((name) => {
      const heading = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();
      return [heading, field(name)];
    }),
  );
}

export function defaultText(item: Item, { stdout }: Pick<Shown, 'stdout'>): string {
  const { id, workspaceId: _, ...fields } = item as Record<string, unknown>;
  const rows = Object.entries(fields).filter(([, value]) => value !== null);
  return `${typeof id === 'string' ? `${paint('bold', visible(id), stdout)}\n` : ''}${describeFields(rows)}`;
}

/** New calls use one version: of those that are published, the newest. */
function versionState({ version, isPublished }: Agent, { loaded: live }: { readonly loaded: Item }): Cell {
  if (!isPublished) return { text: 'draft', format: 'yellow' };
  return version === live ? { text: 'live', format: 'green' } : 'published';
}

export function keyState({ revokedAt, expiresAt }: Item): Cell {
  if (revokedAt !== null) return { text: `revoked ${revokedAt}`, format: 'red' };
  if (expiresAt === null) return { text: 'active', format: 'green' };
  const isOver = Date.parse(expiresAt) <= Date.now();
  return { text: `${isOver ? 'expired' : 'expires'} ${expiresAt}`, format: isOver ? 'red' : 'yellow' };
}

function languages({ languages: tags }: Item): string {
  return tags.length === 0 ? 'any' : tags.join(', ');
}

function deliveryStatus({ status, reason }: WebhookDelivery): Cell {
  const formats: Readonly<Partial<Record<WebhookDelivery['status'], Format>>> = {
    succeeded: 'green',
    failed: 'red',
    skipped: 'yellow',
  };
  const text = reason === null ? status : `${status} (${reason})`;
  const format = formats[status];
  return format === undefined ? text : { text, format };
}

/** Of the last attempt. */
function lastResponse({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return '';
  return last.statusCode === null ? last.outcome : String(last.statusCode);
}
