import { createHash } from 'node:crypto';
import type { Agent } from '../../contract/agents/agent.ts';
import type { Webhook } from '../../contract/webhooks/webhook.ts';
import { toolsIn } from '../../voice/settings.ts';

/** As long as the name of a resource in the audit log. */
const maxHostLength = 255;

/** A webhook with its secrets in the clear. */
interface OpenedWebhook {
  readonly webhook: Webhook;
  readonly secret: string;
  readonly previousSecret: string | null;
}

/** The version of an agent that the address of its webhook is from. */
export interface AddressVersion {
  readonly version: number;
  readonly isPublished: boolean;
}

/** Whether calls with this version send signed requests, so that the agent needs a secret. */
export function needsSecret({ webhookUrl, agentSettings, responseEngine }: Agent): boolean {
  return webhookUrl !== null || responseEngine.type === 'custom_llm' || toolsIn(agentSettings).length > 0;
}

/** What a client decides about a webhook. */
export type WebhookFields = Pick<Webhook, 'url' | 'description' | 'events' | 'agentIds' | 'include'>;

/** A webhook of the workspace. */
export function newWebhook(id: string, workspaceId: string, fields: WebhookFields, now: string): Webhook {
  return activeWebhook({ id, workspaceId, kind: 'workspace', agentId: null }, fields, now);
}

/** The webhook that the service creates for an agent. */
export function newAgentWebhook(id: string, { workspaceId, ...agent }: Agent, now: string): Webhook {
  const fields = { url: agent.webhookUrl, description: null, events: agent.webhookEvents, agentIds: [], include: [] };
  return activeWebhook({ id, workspaceId, kind: 'agent', agentId: agent.id }, fields, now);
}

function activeWebhook(
  owner: Pick<Webhook, 'id' | 'workspaceId' | 'kind' | 'agentId'>,
  fields: WebhookFields,
  now: string,
): Webhook {
  return {
    ...owner,
    ...fields,
    status: 'active',
    disabledReason: null,
    secretRotatedAt: null,
    previousSecretExpiresAt: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** What people know a webhook by, since it has no name. Never the whole URL: its path may contain a credential. */
export function hostOf({ url }: Pick<Webhook, 'url'>): string | null {
  return url === null ? null : (URL.parse(url)?.host.slice(0, maxHostLength) ?? null);
}

/** A published version comes before every draft, then a newer one before an older one. A draft changes in place. */
export function isCurrent(agent: AddressVersion, known: AddressVersion): boolean {
  return agent.isPublished === known.isPublished ? agent.version >= known.version : agent.isPublished;
}

/** Whether two versions want the same events at the same address. */
export function isSameAddress(one: Agent, other: Agent): boolean {
  return (
    one.webhookUrl === other.webhookUrl && JSON.stringify(one.webhookEvents) === JSON.stringify(other.webhookEvents)
  );
}

/** The webhook with the address of this version, or the same webhook if nothing changes. Another address starts over. */
export function withAddressOf(agent: Agent, webhook: Webhook, now: string): Webhook {
  const { webhookUrl: url, webhookEvents: events } = agent;
  const isMoved = url !== webhook.url;
  if (!isMoved && JSON.stringify(events) === JSON.stringify(webhook.events)) return webhook;
  const isReactivated = isMoved && webhook.status === 'disabled';
  return {
    ...webhook,
    url,
    events,
    ...(isReactivated ? { status: 'active', disabledReason: null, failingSince: null } : {}),
    updatedAt: now > webhook.updatedAt ? now : webhook.updatedAt,
  };
}

/** The webhook after its secret was replaced at once: no earlier one is valid. */
export function withNewSecret(webhook: Webhook, now: string): Webhook {
  return { ...webhook, secretRotatedAt: now, previousSecretExpiresAt: null, updatedAt: now };
}

/** A webhook, and how many attempts have failed since its `failingSince`. */
export interface WebhookHealth {
  readonly webhook: Webhook;
  readonly failures: number;
}

/**
 * The webhook after an attempt that started at this time. A test does not count. Attempts run at the same time, so that
 * one may end before another that started earlier.
 */
export function withAttempt(
  { webhook, failures }: WebhookHealth,
  hasSucceeded: boolean,
  startedAt: number,
): WebhookHealth {
  const at = new Date(startedAt).toISOString();
  const { lastSuccessAt, lastFailureAt, failingSince } = webhook;
  if (hasSucceeded) {
    return { webhook: { ...webhook, lastSuccessAt: latest(lastSuccessAt, at), failingSince: null }, failures: 0 };
  }
  const failed = { ...webhook, lastFailureAt: latest(lastFailureAt, at) };
  // The receiver has recovered since it started.
  if (lastSuccessAt !== null && at < lastSuccessAt) return { webhook: failed, failures };
  const first = failingSince !== null && failingSince < at ? failingSince : at;
  return { webhook: { ...failed, failingSince: first }, failures: failingSince === null ? 1 : failures + 1 };
}

function latest(known: string | null, at: string): string {
  return known !== null && known > at ? known : at;
}

/** The webhook with another status. Setting it to active starts over. */
export function withStatus(webhook: Webhook, status: Webhook['status'], reason: Webhook['disabledReason']): Webhook {
  if (status === 'active') return { ...webhook, status, disabledReason: null, failingSince: null };
  if (status === webhook.status) return webhook;
  return { ...webhook, status, disabledReason: status === 'disabled' ? reason : null };
}

/** The secrets to sign with, the newest first: two for some time after a rotation. */
export function validSecrets({ webhook, secret, previousSecret }: OpenedWebhook, now: number): readonly string[] {
  const expiresAt = webhook.previousSecretExpiresAt;
  const isPreviousValid = previousSecret !== null && expiresAt !== null && Date.parse(expiresAt) > now;
  return isPreviousValid ? [secret, previousSecret] : [secret];
}

/** Changes with every field except those that each delivery changes: an update with `If-Match` would never succeed. */
export function tagOf({ lastSuccessAt: _, lastFailureAt: __, failingSince: ___, ...rest }: Webhook): string {
  return `"${createHash('sha256').update(JSON.stringify(rest)).digest('base64url').slice(0, 27)}"`;
}
