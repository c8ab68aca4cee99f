import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Agent, AgentState, Call, WebhookDelivery } from '../../../sdk/src/schema.ts';
import { agentText, describeState, readStates } from '../agents/show.ts';
import { type Format, paint, type Shown } from '../context.ts';
import { describeFields } from '../terminal/fields.ts';
import type { Cell } from '../terminal/table.ts';
import { visible } from '../terminal/text.ts';
import { describeDuration, describeTime } from '../terminal/time.ts';
import { checkedSecretName } from './ids.ts';

// biome-ignore lint/suspicious/noExplicitAny: the items of all resources.
export type Item = any;

/** The name of a field, or a function of the item and what `load` has returned. */
type Column = string | ((item: Item, loaded: Item) => Cell);

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
      ID: 'id',
      NAME: 'name',
      ENGINE: (agent: Agent) => agent.responseEngine.type,
      LANGUAGE: 'language',
      VOICE: 'voiceId',
      STATE: (agent: Agent, loaded: Map<string, AgentState>) => describeState(agent, loaded.get(agent.id)),
      CHANGED: 'updatedAt',
    },
    dispensable: ['VOICE', 'LANGUAGE', 'ENGINE', 'CHANGED'],
    load: (agents, client) => readStates(client, agents),
    hint: 'Create one with "voice-agents agents create".',
    line: ({ name, version, isPublished }) => `${name}  (version ${version}, ${isPublished ? 'published' : 'draft'})`,
    includes: 'all versions',
  },
  'agents.versions': {
    columns: {
      VERSION: 'version',
      STATE: versionState,
      CHANGED: 'updatedAt',
      NAME: 'name',
      DESCRIPTION: 'versionDescription',
    },
    dispensable: ['NAME'],
    elastic: 'DESCRIPTION',
    load: async ([first], client) => (await readStates(client, [first])).get(first.id)?.publishedVersion,
    text: agentText,
  },
  apiKeys: {
    columns: {
      ID: 'id',
      NAME: 'name',
      KEY: 'hint',
      SCOPES: ({ scopes }) => scopes.join(','),
      STATE: keyState,
      'LAST USED': 'lastUsedAt',
    },
    dispensable: ['LAST USED', 'KEY', 'SCOPES'],
    things: 'API keys',
  },
  auditLog: {
    columns: {
      AT: 'at',
      ACTION: 'routeId',
      RESOURCE: 'resourceId',
      KEY: ({ keyId }) => keyId ?? 'command line',
      REQUEST: 'requestId',
    },
    dispensable: ['REQUEST', 'KEY'],
    elastic: 'RESOURCE',
    things: 'changes',
  },
  calls: {
    columns: {
      ID: 'id',
      TYPE: 'type',
      STATUS: status,
      END: 'endReason',
      AGENT: 'agentId',
      VERSION: callVersion,
      DURATION: 'durationMs',
      CREATED: 'createdAt',
    },
    dispensable: ['AGENT', 'VERSION', 'END', 'TYPE', 'DURATION'],
    text: async (call, { stdout }) => (await import('../calls/show.ts')).describeCall(call, stdout),
    hint: 'Start one with "voice-agents chat".',
    line: ({ type, status, createdAt }) => `${type}, ${status}  (created ${createdAt})`,
    includes: 'its transcript',
    query: withAgentId,
  },
  'calls.analysis': {
    text: async (analysis, { stdout }) => (await import('../calls/analysis.ts')).describeAnalysis(analysis, stdout),
  },
  carriers: {
    columns: { ID: 'id', NAME: 'name', PROVIDER: 'provider', STATUS: status, VERIFIED: 'verifiedAt' },
    dispensable: ['VERIFIED'],
    text: async (carrier, { stdout }) => (await import('../phone/show.ts')).describeCarrier(carrier, stdout),
    hint: 'Connect one with "voice-agents carriers create".',
  },
  'carriers.numbers': {
    columns: { NUMBER: 'number', NAME: 'name', VOICE: 'voice', 'IMPORTED AS': 'importedAs' },
    things: 'numbers in the account',
  },
  doNotCall: {
    columns: { NUMBER: 'number', SOURCE: 'source', REASON: 'reason', ADDED: 'createdAt' },
    dispensable: ['ADDED'],
    elastic: 'REASON',
    things: 'numbers on the do-not-call list',
  },
  documents: {
    columns: {
      ID: 'id',
      NAME: 'name',
      TYPE: 'type',
      STATUS: status,
      CHUNKS: 'chunkCount',
      ERROR: ({ error }) => error?.message ?? '',
      CHANGED: 'updatedAt',
    },
    dispensable: ['CHANGED', 'TYPE', 'CHUNKS'],
    elastic: 'ERROR',
    hint: 'Add one with "voice-agents knowledge add".',
    line: ({ name, type }) => `${name}  (${type})`,
    includes: 'its text',
  },
  events: {
    columns: { ID: 'id', TYPE: 'type', SUBJECT: ({ subject }) => subject.id, AT: 'timestamp' },
    dispensable: ['AT'],
  },
  knowledgeBases: {
    columns: {
      ID: 'id',
      NAME: 'name',
      STATUS: status,
      DOCUMENTS: 'documentCount',
      CHUNKS: 'chunkCount',
      LANGUAGE: 'language',
    },
    dispensable: ['LANGUAGE', 'CHUNKS'],
    things: 'knowledge bases',
    hint: 'Create one with "voice-agents knowledge create".',
    line: ({ name, documentCount }) => `${name}  (documents: ${documentCount})`,
    includes: 'its documents',
  },
  phoneNumbers: {
    columns: {
      ID: 'id',
      NUMBER: 'number',
      NAME: 'name',
      STATUS: status,
      AGENT: ({ inbound }) => (inbound.enabled ? (inbound.agentId ?? '') : 'off'),
      OUTBOUND: ({ outbound }) => (outbound.enabled ? 'on' : 'off'),
    },
    dispensable: ['AGENT', 'OUTBOUND'],
    text: async (phoneNumber, { stdout }) => (await import('../phone/show.ts')).describeNumber(phoneNumber, stdout),
    things: 'phone numbers',
    hint: 'Import one with "voice-agents numbers import".',
    line: ({ number, name }) => `${number}  ${name}`,
    query: withAgentId,
  },
  providers: {
    columns: {
      NAME: 'name',
      SOURCE: 'source',
      CAPABILITIES: 'capabilities',
      'USED FOR': 'usedFor',
      LANGUAGES: languages,
    },
    elastic: 'LANGUAGES',
    hint: 'Set a key with "voice-agents providers credentials set".',
  },
  secrets: {
    columns: { NAME: 'name', HOSTS: 'hosts', CHANGED: 'updatedAt' },
    elastic: 'HOSTS',
    hint: 'Set one with "voice-agents secrets set".',
    checkName: checkedSecretName,
  },
  voices: { columns: { VOICE: 'voiceId', PROVIDER: 'provider', LANGUAGES: languages, NAME: 'name' } },
  webhooks: {
    columns: { ID: 'id', KIND: 'kind', STATUS: status, EVENTS: 'events', URL: 'url', 'LAST SUCCESS': 'lastSuccessAt' },
    dispensable: ['LAST SUCCESS', 'KIND', 'EVENTS'],
    elastic: 'URL',
    hint: 'Create one with "voice-agents webhooks create".',
    line: ({ url }) => url ?? '',
    includes: 'its deliveries',
  },
  'webhooks.deliveries': {
    columns: {
      ID: 'id',
      EVENT: 'eventType',
      STATUS: status,
      ATTEMPTS: 'attemptCount',
      RESPONSE: lastResponse,
      CREATED: 'createdAt',
      'NEXT ATTEMPT': 'nextAttemptAt',
    },
    dispensable: ['NEXT ATTEMPT', 'ATTEMPTS', 'CREATED'],
    elastic: 'RESPONSE',
  },
  workflows: {
    columns: {
      ID: 'id',
      NAME: 'name',
      STATE: workflowState,
      EVENT: ({ trigger }) => trigger.event,
      STEPS: ({ steps }) => String(steps.length),
      VERSION: 'version',
      CHANGED: 'updatedAt',
    },
    dispensable: ['CHANGED', 'VERSION', 'STEPS', 'EVENT'],
    text: async (workflow, { stdout }) => (await import('../workflows/show.ts')).describeWorkflow(workflow, stdout),
    hint: 'Create one with "voice-agents workflows push".',
    line: ({ name }) => name,
    includes: 'its open runs',
    query: withAgentId,
  },
  'workflows.runs': {
    columns: {
      ID: 'id',
      WORKFLOW: 'workflowId',
      CALL: 'callId',
      STATUS: status,
      CREATED: 'createdAt',
      ENDED: 'completedAt',
    },
    dispensable: ['ENDED', 'WORKFLOW', 'CREATED'],
    elastic: 'STATUS',
    text: async (run, { stdout }) => (await import('../workflows/show.ts')).describeRun(run, stdout),
    query: async ({ workflowId, ...query }, client) => {
      if (workflowId === undefined) return query;
      const { findWorkflow } = await import('../workflows/find.ts');
      return { workflowId: (await findWorkflow(client, workflowId)).id, ...query };
    },
  },
  'workflows.versions': {
    columns: {
      VERSION: 'version',
      STEPS: ({ steps }) => steps.map(({ id }: Item) => id).join(', '),
      SAVED: 'createdAt',
      KEY: 'keyId',
    },
    dispensable: ['KEY'],
    elastic: 'STEPS',
  },
};

/** The agent may be named. */
async function withAgentId({ agentId, ...query }: Record<string, string>, client: VoiceAgents) {
  if (agentId === undefined) return query;
  const { findAgent } = await import('../agents/find.ts');
  return { agentId: (await findAgent(client, agentId)).id, ...query };
}

export function viewOf(operationId: string): View {
  return views[operationId.slice(0, operationId.lastIndexOf('.'))] ?? {};
}

/** The value of a column. Times, durations, lists and absent values are recognized. */
export function cellOf(column: Column, item: Item, loaded: unknown, stdout: NodeJS.WriteStream): Cell {
  if (typeof column === 'function') return column(item, loaded);
  const value = item[column] as unknown;
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' && /(?:^at|At|timestamp)$/.test(column)) return describeTime(value, stdout);
  if (typeof value === 'number' && column.endsWith('Ms')) return describeDuration(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

const maxColumns = 6;

/** For resources without a view: their first short fields. */
export function defaultColumns(item: Item): Record<string, Column> {
  const isShort = (value: unknown) => value === null || typeof value !== 'object' || Array.isArray(value);
  const names = Object.keys(item).filter((name) => name !== 'workspaceId' && isShort(item[name]));
  const heading = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();
  return Object.fromEntries(names.slice(0, maxColumns).map((name) => [heading(name), name]));
}

export function defaultText(item: Item, { stdout }: Pick<Shown, 'stdout'>): string {
  const { id, workspaceId: _, ...fields } = item as Record<string, unknown>;
  const rows = Object.entries(fields).filter(([, value]) => value !== null);
  return `${typeof id === 'string' ? `${paint('bold', visible(id), stdout)}\n` : ''}${describeFields(rows)}`;
}

/** Statuses of calls, webhooks and deliveries that stand out. */
const formats: Readonly<Record<string, Format>> = {
  ongoing: 'green',
  error: 'red',
  not_connected: 'yellow',
  paused: 'yellow',
  disabled: 'red',
  succeeded: 'green',
  failed: 'red',
  skipped: 'yellow',
  active: 'green',
  partial: 'yellow',
  failing: 'red',
  ready: 'green',
  degraded: 'yellow',
  canceled: 'yellow',
  waiting: 'cyan',
};

function status({ status: name, reason }: Item): Cell {
  const text = reason == null ? name : `${name} (${reason})`;
  const format = formats[name];
  return format === undefined ? text : { text, format };
}

function callVersion({ agentVersion, isDraft }: Call): string {
  return `${agentVersion}${isDraft ? ' (draft)' : ''}`;
}

function workflowState({ enabled, disabledReason }: Item): Cell {
  if (enabled) return { text: 'enabled', format: 'green' };
  return disabledReason === 'failing' ? { text: 'disabled (failing)', format: 'red' } : 'disabled';
}

/** New calls use one version: of those that are published, the newest. */
function versionState({ version, isPublished }: Agent, live: number | undefined): Cell {
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

/** What the last attempt got. */
function lastResponse({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return '';
  return last.statusCode === null ? last.outcome : String(last.statusCode);
}
