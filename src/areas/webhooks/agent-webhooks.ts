import type { Agent } from '../../contract/agents/agent.ts';
import { newWebhookSecret } from '../../core/webhook-signature.ts';
import type { Queries } from '../../storage/database.ts';
import type { AgentWebhookStore } from './agent-webhook-store.ts';
import type { Events } from './events.ts';
import type { WebhookStore } from './store.ts';
import { isCurrent, isSameAddress, needsSecret, newAgentWebhook, validSecrets, withAddressOf } from './webhook.ts';

export type AgentWebhooks = ReturnType<typeof createAgentWebhooks>;

interface AgentWebhookParts {
  readonly store: Pick<WebhookStore, 'openOfAgent'>;
  readonly ofAgents: AgentWebhookStore;
  readonly events: Events;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** The newest published version of an agent, if there is one. */
  readonly publishedVersion: (queries: Queries, workspaceId: string, agentId: string) => Promise<Agent | undefined>;
}

/** The webhook that each agent has of its own, whose secret signs everything that its calls send. */
export function createAgentWebhooks({ store, ofAgents, events, newId, now, publishedVersion }: AgentWebhookParts) {
  const timestamp = () => new Date(now()).toISOString();

  const create = async (queries: Queries, agent: Agent): Promise<void> => {
    const { workspaceId, id } = agent;
    // The address is that of the published version, even if a draft is the first to need a secret.
    const current = agent.isPublished ? agent : ((await publishedVersion(queries, workspaceId, id)) ?? agent);
    const webhook = newAgentWebhook(newId('whk'), current, timestamp());
    await ofAgents.insert(queries, webhook, current, newWebhookSecret());
  };

  /** Gives an existing one the address of this version if it is current. Resolves to false if there is none. */
  const update = async (queries: Queries, agent: Agent): Promise<boolean> => {
    const { workspaceId, id } = agent;
    const found = await ofAgents.find(queries, workspaceId, id);
    if (found === undefined) return false;
    if (!isCurrent(agent, found.address)) return true;
    const isSame = withAddressOf(agent, found.webhook, timestamp()) === found.webhook;
    if (isSame && agent.version === found.address.version && agent.isPublished === found.address.isPublished)
      return true;
    // Deliveries change the same document.
    const locked = await ofAgents.lock(queries, workspaceId, id);
    if (locked === undefined || !isCurrent(agent, locked.address)) return true;
    await ofAgents.replace(queries, withAddressOf(agent, locked.webhook, timestamp()), agent);
    return true;
  };

  /** Creates it if this version needs a secret. One that exists gets the address of this version if it is current. */
  const ensure = async (queries: Queries, agent: Agent): Promise<void> => {
    if (!(await update(queries, agent)) && needsSecret(agent)) await create(queries, agent);
  };

  return {
    ensure,

    /** Creates it if there is none, whether or not this version needs a secret. */
    ensureSecret: async (queries: Queries, agent: Agent): Promise<void> => {
      if (!(await update(queries, agent))) await create(queries, agent);
    },

    /** The secrets to sign with, the newest first: none if the agent never needed one, two after a rotation. */
    secrets: async (workspaceId: string, agentId: string): Promise<readonly string[]> => {
      const found = await store.openOfAgent(workspaceId, agentId);
      return found === undefined ? [] : validSecrets(found, now());
    },

    /** A draft has changed, in this transaction. */
    changed: async (queries: Queries, before: Agent, agent: Agent): Promise<void> => {
      if (!isSameAddress(before, agent)) await update(queries, agent);
    },

    /** A version was published, in this transaction. */
    published: async (queries: Queries, agent: Agent): Promise<void> => {
      const { workspaceId, id: agentId, version, versionDescription } = agent;
      await ensure(queries, agent);
      await events.write(queries, {
        workspaceId,
        type: 'agent_published',
        subjectId: agentId,
        sequence: null,
        agentId,
        agentWebhook: null,
        data: { agentId, version, versionDescription },
      });
    },

    /** The agent was deleted, in this transaction. Its open calls still need the webhook, which is removed later. */
    deleted: async (queries: Queries, workspaceId: string, agentId: string): Promise<void> => {
      await ofAgents.noteDeletedAgent(queries, workspaceId, agentId, now());
      await events.forgetSubject(queries, workspaceId, agentId);
    },
  };
}
