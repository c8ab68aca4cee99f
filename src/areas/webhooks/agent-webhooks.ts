import type { Agent } from '../../contract/agent.ts';
import { newWebhookSecret } from '../../core/webhook-signature.ts';
import type { Queries } from '../../storage/database.ts';
import type { Events } from './events.ts';
import type { WebhookStore } from './store.ts';
import { isCurrent, needsSecret, newAgentWebhook, validSecrets, withAddressOf } from './webhook.ts';

export type AgentWebhooks = ReturnType<typeof createAgentWebhooks>;

interface AgentWebhookParts {
  readonly store: WebhookStore;
  readonly events: Events;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
}

/** The webhook that each agent has of its own, whose secret signs everything that its calls send. */
export function createAgentWebhooks({ store, events, newId, now }: AgentWebhookParts) {
  const timestamp = () => new Date(now()).toISOString();

  /** Creates it if this version needs a secret. One that exists gets the address of this version if it is current. */
  const ensure = async (queries: Queries, agent: Agent): Promise<void> => {
    const { workspaceId, id } = agent;
    const found = await store.findOfAgent(queries, workspaceId, id);
    if (found === undefined) {
      if (!needsSecret(agent)) return;
      await store.insertForAgent(queries, newAgentWebhook(newId('whk'), agent, timestamp()), agent, newWebhookSecret());
      return;
    }
    if (!isCurrent(agent, found.address)) return;
    const isSame = withAddressOf(agent, found.webhook, timestamp()) === found.webhook;
    if (isSame && agent.version === found.address.version && agent.isPublished === found.address.isPublished) return;
    // Deliveries change the same document.
    const held = await store.holdOfAgent(queries, workspaceId, id);
    if (held === undefined || !isCurrent(agent, held.address)) return;
    await store.replaceOfAgent(queries, withAddressOf(agent, held.webhook, timestamp()), agent);
  };

  return {
    ensure,

    /** The secrets to sign with, the newest first: none if the agent never needed one, two after a rotation. */
    secrets: async (workspaceId: string, agentId: string): Promise<readonly string[]> => {
      const found = await store.openOfAgent(workspaceId, agentId);
      return found === undefined ? [] : validSecrets(found, now());
    },

    /** A version was published, in this transaction. */
    published: async (queries: Queries, agent: Agent): Promise<void> => {
      const { workspaceId, id: agentId, version, versionDescription } = agent;
      await ensure(queries, agent);
      await events.write(queries, {
        workspaceId,
        type: 'agent_published',
        subject: { type: 'agent', id: agentId },
        sequence: null,
        agentId,
        agentWebhook: null,
        data: { agentId, version, versionDescription },
      });
    },

    /** The agent was deleted, in this transaction. Its open calls still need the webhook, which is removed later. */
    deleted: async (queries: Queries, workspaceId: string, agentId: string): Promise<void> => {
      await store.noteDeletedAgent(queries, workspaceId, agentId, now());
      await events.forgetSubject(queries, workspaceId, agentId);
    },
  };
}
