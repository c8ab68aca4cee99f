import { createDocumentKind, type DocumentKind, type OlderDocument, type Upgrade } from './document-kind.ts';

interface Upgrades {
  /** In error messages. */
  readonly name: string;
  readonly upgrades: readonly Upgrade[];
}

/**
 * The upgrades of every kind of stored document, in order. To change the shape of one, append a function; it is applied
 * to older documents when they are read, and in the background. Released upgrades are never changed or removed.
 */
const kinds = {
  /** In `agents`, `agent_versions` and `call_agents`. */
  agent: { name: 'agent', upgrades: [] },
  call: { name: 'call', upgrades: [withKnowledgeUsage] },
  /** In `call_turns`. */
  turn: { name: 'call', upgrades: [withIsExample] },
  /** In `call_events`; in `call_turns` without the turn, which is added before the event is upgraded. */
  callEvent: { name: 'call', upgrades: [] },
  /** In `call_analyses`. */
  analysis: { name: 'analysis', upgrades: [] },
  webhook: { name: 'webhook', upgrades: [] },
  carrier: { name: 'carrier', upgrades: [] },
  /** In `phone_numbers`. */
  phoneNumber: { name: 'phone number', upgrades: [] },
  knowledgeBase: { name: 'knowledge base', upgrades: [] },
  /** In `documents`, the documents of knowledge bases. */
  document: { name: 'document', upgrades: [] },
  /** In `analytics_views`. */
  view: { name: 'view', upgrades: [] },
  /** In `analytics_alerts`. */
  alert: { name: 'alert', upgrades: [] },
  prices: { name: 'price document', upgrades: [] },
  workflow: { name: 'workflow', upgrades: [] },
  /** In `workflow_versions`. */
  workflowVersion: { name: 'workflow', upgrades: [] },
  /** In `events`: what is sent to webhooks. It is upgraded for the API only, so that deliveries keep their bytes. */
  eventBody: { name: 'event', upgrades: [withKnowledgeUsageInCall] },
  /** In `audit_log`. */
  auditEntry: { name: 'audit entry', upgrades: [] },
} satisfies Record<string, Upgrades>;

/** `usage.knowledge` counts more than the searches, of which there were none. */
function withKnowledgeUsage(call: OlderDocument): Record<string, unknown> {
  return { ...call, usage: { ...(call.usage as object), knowledge: { searches: 0, empty: 0, timedOut: 0 } } };
}

function withKnowledgeUsageInCall(event: OlderDocument): Record<string, unknown> {
  const { data } = event as { readonly data?: { readonly call?: OlderDocument } };
  return data?.call === undefined ? event : { ...event, data: { ...data, call: withKnowledgeUsage(data.call) } };
}

/** Before there were example results, every tool was called. */
function withIsExample(turn: OlderDocument): Record<string, unknown> {
  const { toolCall } = turn as { readonly toolCall?: OlderDocument | null };
  if (toolCall === undefined || toolCall === null) return turn;
  const { durationMs, ...rest } = toolCall;
  return { ...turn, toolCall: { ...rest, isExample: false, durationMs } };
}

type KindName = keyof typeof kinds;

export type DocumentKinds = Readonly<Record<KindName, DocumentKind>>;

/** `more` are upgrades to versions that exist only in tests. */
export function createDocumentKinds(more: Partial<Record<KindName, readonly Upgrade[]>> = {}): DocumentKinds {
  const entries = Object.entries<Upgrades>(kinds).map(([key, { name, upgrades }]) => [
    key,
    createDocumentKind(name, [...upgrades, ...(more[key as KindName] ?? [])]),
  ]);
  return Object.fromEntries(entries);
}
