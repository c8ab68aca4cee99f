import type { webhooksContract } from '../../contract/webhooks.ts';
import { notFound } from '../../core/errors.ts';
import { isId } from '../../core/ids.ts';
import type { Handlers } from '../../http/operations/handlers.ts';
import type { WebhookStore } from './store.ts';

export function webhookRoutes(store: WebhookStore): Handlers<(typeof webhooksContract.operations)[number]> {
  return {
    'webhooks.list': async ({ caller, query, position, nextPage }) => {
      const { limit, ...filters } = query;
      return nextPage(await store.page(caller.workspaceId, position?.after ?? null, limit, filters));
    },

    'webhooks.secret.get': async ({ caller, params: { id }, queries }) => {
      const found = isId('whk', id) ? await store.open(queries, caller.workspaceId, id) : undefined;
      if (found === undefined) throw notFound('webhook');
      const { secretRotatedAt, previousSecretExpiresAt } = found.webhook;
      return { body: { secret: found.secret, secretRotatedAt, previousSecretExpiresAt }, resourceId: id };
    },
  };
}
